import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST

/// A back-end whose server answers as a test tells it.
struct ToldCouch {
    let transport: FakeTransport
    let backend: CouchBackend

    init(
        _ answers: [FullHTTPResponse], options: [String: any Sendable] = [:]
    ) throws {
        transport = FakeTransport(answers)
        var configuration = ReplicationConfiguration(
            url: try #require(URL(string: "couchdb+http://h/db")), options: options)
        configuration.options[CouchBackend.OptionName.transport] = transport
        backend = try CouchBackend(configuration)
    }

    /// The requests, without bodies.
    var lines: [String] {
        transport.asked.map { "\($0.request.method.rawValue) \($0.request.path ?? "")" }
    }

    func header(_ name: HTTPField.Name) -> [String?] {
        transport.asked.map { $0.request.headerFields[name] }
    }
}

@Suite struct `A back-end of CouchDB` {
    private static let information = FullHTTPResponse.json(
        200, #"{"db_name":"db","update_seq":"0-x","instance_start_time":"1700000000"}"#)
    private static let noDatabase = FullHTTPResponse.json(
        404, #"{"error":"not_found","reason":"Database does not exist."}"#)

    @Test func `makes a database where that is wanted`() async throws {
        let created = try ToldCouch(
            [Self.noDatabase, .json(201, #"{"ok":true}"#), Self.information],
            options: [CouchBackend.OptionName.createsDatabase: true])
        #expect(try await created.backend.begin() == #""1700000000""#)
        #expect(created.lines == ["GET /db", "PUT /db", "GET /db"])
        let missing = try ToldCouch([Self.noDatabase])
        await #expect {
            try await missing.backend.begin()
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
    }

    @Test func `knows whether the server forgot something`() async throws {
        let told = try ToldCouch([
            Self.information, .json(201, #"{"ok":true,"instance_start_time":"1700000000"}"#),
            .json(201, #"{"ok":true,"instance_start_time":"1700000001"}"#),
            .json(404, #"{"error":"not_found","reason":"missing"}"#),
        ])
        let begun = try await told.backend.begin()
        #expect(try await told.backend.commit() == begun)
        #expect(try await told.backend.commit() != begun)
        #expect(try await told.backend.commit() == begun)
    }

    @Test func `writes a log over the one that is there`() async throws {
        let told = try ToldCouch([
            .json(200, #"{"_id":"_local/x","_rev":"0-4","session_id":"s"}"#),
            .json(201, #"{"ok":true,"id":"_local/x","rev":"0-5"}"#),
            .json(409, #"{"error":"conflict","reason":"Document update conflict."}"#),
            .json(200, #"{"_id":"_local/x","_rev":"0-9"}"#),
            .json(201, #"{"ok":true,"id":"_local/x","rev":"0-10"}"#),
        ])
        #expect(try await told.backend.log("x")?["session_id"] == "s")
        try await told.backend.setLog(["n": 1], "x")
        try await told.backend.setLog(["n": 2], "x")
        #expect(
            told.transport.asked.compactMap(\.body) == [
                #"{"_rev":"0-4","n":1}"#, #"{"_rev":"0-5","n":2}"#, #"{"_rev":"0-9","n":2}"#,
            ])
    }

    private static func found(_ ids: String...) -> FullHTTPResponse {
        let results = ids.map {
            "{\"id\":\"\($0)\",\"docs\":[{\"ok\":{\"_id\":\"\($0)\",\"_rev\":\"1-x\"}}]}"
        }
        return .json(200, "{\"results\":[\(results.joined(separator: ","))]}")
    }

    private static func wanted(_ ids: String...) -> [WantedRevisions] {
        ids.map { WantedRevisions(id: $0, revisions: ["1-x"]) }
    }

    private static func names(_ found: [FetchedRevision]) -> [String] {
        found.map {
            switch $0 {
            case .revision(let revision): revision.id
            case .fault(let id, _): "\(id) set aside"
            }
        }
    }

    @Test(arguments: [400, 404, 405, 501])
    func `reads documents one by one where nothing else is known`(_ status: Int) async throws {
        let told = try ToldCouch([
            .json(status, #"{"error":"not_found","reason":"missing"}"#),
            .json(200, #"[{"ok":{"_id":"a","_rev":"1-x"}}]"#),
            .json(404, #"{"error":"not_found","reason":"missing"}"#),
            .json(200, #"[{"ok":{"_id":"c","_rev":"1-x"}}]"#),
        ])
        #expect(try await Self.names(told.backend.fetch(Self.wanted("a", "b"))) == ["a"])
        // It is not asked again.
        #expect(try await Self.names(told.backend.fetch(Self.wanted("c"))) == ["c"])
        #expect(told.lines.count { $0.hasPrefix("POST /db/_bulk_get") } == 1)
        #expect(told.header(.accept).allSatisfy { $0 == "application/json" })
    }

    @Test func `does not take a missing database for missing documents`() async throws {
        let told = try ToldCouch([Self.noDatabase, Self.noDatabase])
        await #expect {
            try await told.backend.fetch(Self.wanted("a"))
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
    }

    @Test func `sets a document aside that cannot be one, and takes the others`() async throws {
        let bad = FullHTTPResponse.json(
            200,
            #"{"results":[{"id":"b","docs":[{"ok":{"_id":"b","_rev":"1-x","n":99999999999999999999}}]}]}"#
        )
        let told = try ToldCouch([
            bad, bad, bad, Self.found("b"), Self.found("c"),
        ])
        // a b c -> a | b c -> b | c
        #expect(
            try await Self.names(told.backend.fetch(Self.wanted("a", "b", "c"))) == [
                "a set aside", "b", "c",
            ])
    }

    @Test func `tells a cut answer from a bad document`() async throws {
        let told = try ToldCouch([.json(200, #"{"results":[{"id":"b""#)])
        await #expect {
            try await told.backend.fetch(Self.wanted("b"))
        } throws: {
            ($0 as? ReplicationError)?.code == .protocolViolation
        }
    }

    private static func sent(_ ids: String...) -> [SentRevision] {
        ids.map { SentRevision(document: Document(id: $0), path: ["1-x"], isDeleted: false) }
    }

    @Test(arguments: [413, 400])
    func `sends halves of what is too much`(_ status: Int) async throws {
        let refused = FullHTTPResponse.json(
            status, #"{"error":"doc_validation","reason":"Bad special document member: _x"}"#)
        let told = try ToldCouch([refused, .json(201, "[]"), refused])
        #expect(
            try await told.backend.store(Self.sent("a", "b")) == [
                RefusedRevision(
                    id: "b", reason: "doc_validation: Bad special document member: _x")
            ])
    }

    @Test func `sends as much at a time as CouchDB's own replicator`() async throws {
        var large = Document(id: "large")
        large["text"] = String(repeating: "x", count: 300_000)
        let revision = SentRevision(document: large, path: ["1-x"], isDeleted: false)
        let told = try ToldCouch(Array(repeating: .json(201, "[]"), count: 3))
        #expect(try await told.backend.store([revision, revision, revision]).isEmpty)
        #expect(told.lines.count == 3)
    }

    @Test func `reads long content in parts`() async throws {
        let (part, length) = (RESTTuning.downloadSizeMax, RESTTuning.downloadSizeMax + 3)
        let content = String(repeating: "x", count: length)
        let revision = ReceivedRevision(
            id: "a", path: ["1-x"], members: try PackedValue(.object([:])))
        let attachment = FetchedAttachment(name: "p", contentType: "x/y", length: length)
        for answers in [
            [.other(206, String(content.prefix(part))), .other(206, String(content.suffix(3)))],
            [.other(200, content)],
        ] as [[FullHTTPResponse]] {
            let told = try ToldCouch(answers)
            let chunks = try #require(try await told.backend.content(of: attachment, revision))
            var count = 0
            for try await chunk in chunks { count += chunk.count }
            #expect(count == length)
            let range = HTTPField.Name.range
            #expect(told.header(range).first == "bytes=0-\(part - 1)")
        }
    }

    @Test func `refuses options that contradict each other`() throws {
        typealias Name = CouchBackend.OptionName
        for options in [
            [Name.user: "a"], [Name.user: "a", Name.password: "b", Name.token: "c"],
            [Name.documentIds: ["a"], Name.selector: "{}"], [Name.selector: "["],
            [Name.createsDatabase: 1], ["unknown": 1], [Name.timeoutSeconds: 0],
        ] as [[String: any Sendable]] {
            #expect(throws: ReplicationError.self, "\(options)") {
                try ToldCouch([], options: options)
            }
        }
    }
}
