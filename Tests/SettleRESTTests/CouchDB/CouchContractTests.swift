import Foundation
import HTTPTypes
import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleREST

/// A replication, call by call, in the role of the replicator: a fake server gives answers in the shape of CouchDB
/// 3.5.0's, written by hand, and the requests must be those that CouchDB's own replicator makes.
@Suite struct `The replication of CouchDB, call by call` {
    private static let welcome = FullHTTPResponse.json(
        200,
        #"{"instance_start_time":"1700000000","db_name":"db","purge_seq":"0-x","update_seq":"3-g1AAAA","#
            + #""sizes":{"file":1,"external":1,"active":1},"props":{},"doc_del_count":0,"doc_count":2,"#
            + #""disk_format_version":8,"compact_running":false,"cluster":{"q":2,"n":1,"w":1,"r":1}}"#
    )
    private static let missing = FullHTTPResponse.json(
        404, #"{"error":"not_found","reason":"missing"}"#)
    private static let committed = FullHTTPResponse.json(
        201, #"{"ok":true,"instance_start_time":"1700000000"}"#)
    private static let logged = FullHTTPResponse.json(
        201, #"{"ok":true,"id":"_local/l","rev":"0-1"}"#)
    private static let noChanges = FullHTTPResponse.json(
        200, "{\"results\":[\n\n],\n\"last_seq\":\"3-g1AAAA\",\"pending\":0}\n")

    private struct Place {
        let scratch: ScratchDirectory
        let database: Database

        init() async throws {
            scratch = try ScratchDirectory("contract")
            database = try await Database.openOrCreate(
                .init(name: "db", fileLocation: scratch.url))
        }

        /// Replicates with a server that answers so, and gives the requests.
        func replicate(
            _ direction: ReplicationDirection, _ answers: [FullHTTPResponse]
        ) async throws -> (summary: ReplicationSummary, asked: [FakeTransport.Asked]) {
            let transport = FakeTransport(answers)
            var configuration = ReplicationConfiguration(
                url: try #require(URL(string: "couchdb+http://h:5984/db")), isRepeating: false,
                options: [CouchBackend.OptionName.transport: transport])
            configuration.direction = direction
            configuration.retryLimit = 0
            return (try await database.replicate(with: configuration), transport.asked)
        }
    }

    /// Methods and paths, the names of logs left out.
    private static func steps(_ asked: [FakeTransport.Asked]) -> [String] {
        asked.map { asked in
            var path = asked.request.path ?? ""
            if let name = path.range(of: "_local/") {
                path.replaceSubrange(name.upperBound..., with: "LOG")
            }
            return "\(asked.request.method.rawValue) \(path)"
        }
    }

    @Test func `is followed from the source to here`() async throws {
        let place = try await Place()
        let changes = FullHTTPResponse.json(
            200,
            """
            {"results":[
            {"seq":"2-g1AAAA","id":"one","changes":[{"rev":"1-7a7e4b29f3af401e69b6f86e4c26b727"}]},
            {"seq":"3-g1AAAA","id":"two","changes":[{"rev":"2-b"},{"rev":"2-a"}]}
            ],
            "last_seq":"3-g1AAAA","pending":0}

            """)
        let bulk = FullHTTPResponse.json(
            200,
            """
            {"results": [
            {"id":"one","docs":[{"ok":{"_id":"one","_rev":"1-7a7e4b29f3af401e69b6f86e4c26b727","v":1,
            "_revisions":{"start":1,"ids":["7a7e4b29f3af401e69b6f86e4c26b727"]}}}]},
            {"id":"two","docs":[{"ok":{"_id":"two","_rev":"2-b","_revisions":{"start":2,"ids":["b","x"]},
            "_attachments":{"note":{"content_type":"text/plain","revpos":2,"digest":"md5-XUFAKrxLKna5cZ2REBfFkg==",
            "length":5,"stub":true}}}}]},
            {"id":"two","docs":[{"ok":{"_id":"two","_rev":"2-a","_deleted":true,
            "_revisions":{"start":2,"ids":["a","x"]}}}]}
            ]}

            """)
        let (summary, asked) = try await place.replicate(
            .serverToClient,
            [
                Self.welcome, Self.missing, changes, bulk, .other(200, "hello"), Self.committed,
                Self.logged,
            ])
        #expect(
            Self.steps(asked) == [
                "GET /db", "GET /db/_local/LOG",
                "GET /db/_changes?feed=normal&style=all_docs&since=0&limit=500",
                "POST /db/_bulk_get?revs=true&latest=true", "GET /db/two/note?rev=2-b",
                "POST /db/_ensure_full_commit", "PUT /db/_local/LOG",
            ])
        #expect(summary.pulled == 3 && summary.attachmentsDownloaded == 1)
        let one = try await place.database.fetchDocument("one")
        #expect(one?.metaData.revision == "1-7a7e4b29f3af401e69b6f86e4c26b727")
        let leaves = try place.database.read { try $0.leaves(of: "two") }
        #expect(leaves.map(\.revision) == ["2-b", "2-a"])
        #expect(leaves.map(\.isDeleted) == [false, true])
        #expect(leaves.map(\.ancestors) == [["1-x"], ["1-x"]])
        let log = try #require(asked.last?.body)
        let json = try JSONText.value(from: Array(log.utf8))
        #expect(json["source_last_seq"] == "3-g1AAAA" && json["replication_id_version"] == 4)
        let entry = try #require(json["history"]?[0])
        #expect(entry["recorded_seq"] == "3-g1AAAA" && entry["docs_written"] == 3)
        #expect(entry["session_id"] == json["session_id"])

        // With the same log on both sides: nothing but the calls that find out.
        let again = try await place.replicate(
            .serverToClient, [Self.welcome, .json(200, log), Self.noChanges])
        #expect(again.summary == ReplicationSummary())
        #expect(
            Self.steps(again.asked).last
                == "GET /db/_changes?feed=normal&style=all_docs&since=3-g1AAAA&limit=500")
        // With a log of somebody else: from the beginning, and nothing is fetched again.
        let foreign =
            #"{"_id":"_local/l","_rev":"0-1","session_id":"other","source_last_seq":"3-g1AAAA","history":[]}"#
        let anew = try await place.replicate(
            .serverToClient,
            [Self.welcome, .json(200, foreign), changes, Self.committed, Self.logged])
        #expect(anew.summary.received == 2 && anew.summary.pulled == 0)
    }

    @Test func `is followed from here to the target`() async throws {
        let place = try await Place()
        try await place.database.write { transaction in
            var document = Document(id: "one")
            document["v"] = 1
            try transaction.store(document, revisions: ["2-b", "1-a"])
            try transaction.store(Document(id: "two"), revisions: ["1-c"], isDeleted: true)
        }
        let (summary, asked) = try await place.replicate(
            .clientToServer,
            [
                Self.welcome, Self.missing,
                .json(
                    200,
                    #"{"one":{"missing":["2-b"],"possible_ancestors":["1-a"]},"two":{"missing":["1-c"]}}"#
                ),
                .json(201, "[]\n"), Self.committed, Self.logged,
            ])
        #expect(summary.pushed == 2 && summary.rejected == 0)
        #expect(
            Self.steps(asked) == [
                "GET /db", "GET /db/_local/LOG", "POST /db/_revs_diff", "POST /db/_bulk_docs",
                "POST /db/_ensure_full_commit", "PUT /db/_local/LOG",
            ])
        #expect(asked[2].body == #"{"one":["2-b"],"two":["1-c"]}"#)
        #expect(
            asked[3].body
                == #"{"new_edits":false,"docs":[{"_id":"one","_rev":"2-b","_revisions":{"ids":["b","a"],"start":2},"v":1},"#
                + #"{"_id":"two","_rev":"1-c","_revisions":{"ids":["c"],"start":1},"_deleted":true}]}"#
        )
        // Nothing new: nothing is asked but the log.
        let again = try await place.replicate(
            .clientToServer, [Self.welcome, .json(200, try #require(asked[5].body))])
        #expect(again.asked.count == 2)
    }

    @Test func `counts what the target refuses, and goes on`() async throws {
        let place = try await Place()
        try await place.database.save(Document(id: "one"))
        let refused =
            #"[{"id":"one","rev":"1-x","error":"forbidden","reason":"only of Fridays"}]"#
        let revision = try await place.database.fetchDocument("one")?.metaData.revision ?? ""
        let (summary, _) = try await place.replicate(
            .clientToServer,
            [
                Self.welcome, Self.missing, .json(200, "{\"one\":{\"missing\":[\"\(revision)\"]}}"),
                .json(201, refused), Self.committed, Self.logged,
            ])
        #expect(summary.pushed == 0 && summary.rejected == 1)
    }

    @Test func `begins again when the server was started anew`() async throws {
        let place = try await Place()
        try await place.database.save(Document(id: "one"))
        let other = FullHTTPResponse.json(
            201, #"{"ok":true,"instance_start_time":"1700000009"}"#)
        await #expect {
            try await place.replicate(
                .clientToServer,
                [Self.welcome, Self.missing, .json(200, "{}"), other])
        } throws: {
            ($0 as? ReplicationError)?.code == .serverFailed
        }
    }
}
