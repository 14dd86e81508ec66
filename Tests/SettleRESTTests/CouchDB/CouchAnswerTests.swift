import Foundation
import Settle
import SettleSync
import Testing

@testable import SettleREST

@Suite struct `Answers of CouchDB` {
    private func revisions(_ found: [FetchedRevision]) -> [String] {
        found.map { found in
            switch found {
            case .revision(let revision):
                let members = (try? JSONText.text(of: revision.members)) ?? []
                let attachments = revision.attachments.map {
                    "\($0.name) \($0.contentType) \($0.length ?? -1) \($0.digest ?? "") "
                        + String(decoding: $0.data ?? Data(), as: UTF8.self)
                }
                return "\(revision.id) \(revision.path)\(revision.isDeleted ? " deleted" : "") "
                    + String(decoding: members, as: UTF8.self) + " \(attachments)"
            case .fault(let id, let fault): return "\(id): \(fault.member ?? "")"
            }
        }
    }

    @Test func `are pages of changes`() throws {
        let text = """
            {"results":[
            {"seq":"1-g1AAAA","id":"a","changes":[{"rev":"2-x"},{"rev":"1-y"}]},
            {"seq":"3-g1AAAA","id":"b","changes":[{"rev":"2-z"}],"deleted":true}
            ],
            "last_seq":"3-g1AAAA","pending":7}
            """
        #expect(
            try CouchAnswers.feed(.json(200, text))
                == RevisionFeed(
                    changes: [
                        .init(id: "a", revisions: ["2-x", "1-y"]),
                        .init(id: "b", revisions: ["2-z"], isDeleted: true),
                    ], last: "3-g1AAAA", pendingCount: 7))
        // Before 2.0: numbers, and nothing of what is to come.
        #expect(
            try CouchAnswers.feed(.json(200, #"{"results":[],"last_seq":12}"#))
                == RevisionFeed(changes: [], last: 12))
    }

    @Test(arguments: [
        "{}", "[]", #"{"results":[],"last":1}"#, #"{"results":[{"id":"a"}],"last_seq":1}"#,
        #"{"results":[{"changes":[]}],"last_seq":1}"#, "", "{\"results\":[",
    ])
    func `that make no sense are no pages`(_ text: String) {
        #expect(throws: ReplicationError.self) { try CouchAnswers.feed(.json(200, text)) }
    }

    @Test func `of something in between are no pages either`() {
        #expect {
            try CouchAnswers.feed(.other(200, "<html>", type: "text/html"))
        } throws: {
            ($0 as? ReplicationError)?.code == .protocolViolation
        }
    }

    @Test func `say what is missing`() throws {
        let text = #"{"a":{"missing":["1-x"],"possible_ancestors":["1-y"]},"b":{}}"#
        #expect(
            try CouchAnswers.missing(.json(200, text)) == [
                "a": MissingRevisions(revisions: ["1-x"], ancestors: ["1-y"])
            ])
        #expect(try CouchAnswers.missing(.json(200, "{}")) == [:])
    }

    @Test func `have documents with their revisions`() throws {
        let text = #"""
            {"results":[
            {"id":"a","docs":[{"ok":{"_id":"a","_rev":"3-z","_revisions":{"start":3,"ids":["z","y"]},
              "_conflicts":["1-q"],"n":1.0,"id":"own"}}]},
            {"id":"b","docs":[
              {"ok":{"_id":"b","_rev":"2-x","_deleted":true,"_revisions":{"start":2,"ids":["x","w"]}}},
              {"error":{"id":"b","rev":"1-v","error":"not_found","reason":"missing"}},
              {"error":{"id":"b","rev":"1-u","error":"forbidden","reason":"not yours"}}]},
            {"id":"c","docs":[{"ok":{"_id":"c","_rev":"1-x","_attachments":{
              "t.txt":{"content_type":"text/plain","revpos":1,"digest":"md5-abc","length":5,"stub":true},
              "u":{"content_type":"text/x","data":"aGk=","digest":"md5-d"}}}}]}
            ]}
            """#
        #expect(
            try revisions(CouchAnswers.bulk(.json(200, text))) == [
                #"a ["3-z", "2-y"] {"id":"own","n":1.0} []"#,
                #"b ["2-x", "1-w"] deleted {} []"#, "b: ",
                #"c ["1-x"] {} ["t.txt text/plain 5 md5-abc ", "u text/x -1 md5-d hi"]"#,
            ])
        let open = #"[{"ok":{"_id":"a","_rev":"1-x","v":1}},{"missing":"2-y"}]"#
        #expect(
            try revisions(CouchAnswers.openRevisions(.json(200, open))) == [
                #"a ["1-x"] {"v":1} []"#
            ])
    }

    @Test(arguments: [
        #""_rev":"1-x","_revisions":{"start":1,"ids":["y"]}"#,
        #""_rev":"1-x","_revisions":{"start":1,"ids":[]}"#,
        #""_rev":"2-x","_revisions":{"start":0,"ids":["x"]}"#,
        #""_rev":"2-x","_revisions":{"start":9000000000,"ids":["x"]}"#, #""_rev":7"#,
        #""_rev":"1-x","_attachments":{"a":{"data":"!"}}"#,
        #""_rev":"1-x","_attachments":{"a":1}"#,
    ])
    func `may have documents that are none here`(_ members: String) throws {
        let text = "[{\"ok\":{\"_id\":\"a\",\(members)}}]"
        let found = try CouchAnswers.openRevisions(.json(200, text))
        guard case .fault("a", _)? = found.first else {
            Issue.record("\(revisions(found))")
            return
        }
    }

    @Test func `name what was refused`() throws {
        let text = """
            [{"ok":true,"id":"a","rev":"1-x"},
             {"id":"b","rev":"1-y","error":"forbidden","reason":"only\\nadmins"}]
            """
        #expect(
            try CouchAnswers.refused(.json(201, text)) == [
                CouchRejection(id: "b", RemoteRejection(reason: "forbidden: onlyadmins"))
            ])
        #expect(throws: ReplicationError.self) {
            try CouchAnswers.refused(
                .json(201, #"[{"id":"b","error":"internal_server_error","reason":"x"}]"#))
        }
    }
}

@Suite struct `Documents for CouchDB` {
    private func text(_ document: Document, _ path: [String], isDeleted: Bool = false) throws
        -> String
    {
        String(
            decoding: try CouchDocument.text(
                of: SentRevision(document: document, path: path, isDeleted: isDeleted),
                inline: true),
            as: UTF8.self)
    }

    @Test func `have their revisions and attachments`() throws {
        var document = Document(id: "a\"b")
        document["n"] = 1
        #expect(
            try text(document, ["2-x-y", "1-w"])
                == #"{"_id":"a\"b","_rev":"2-x-y","_revisions":{"ids":["x-y","w"],"start":2},"n":1}"#
        )
        document.attachments = [
            DocumentAttachment(name: "p", contentType: "text/plain", data: Data("hi".utf8)),
            DocumentAttachment(name: "q", contentType: "x/y", data: Data()),
        ]
        let attached = try text(document, ["1-x"])
        #expect(
            attached.contains(
                #""_attachments":{"p":{"content_type":"text/plain","revpos":1,"data":"aGk="},"q":{"content_type":"x/y","revpos":1,"data":""}}"#
            ))
        #expect(
            try text(Document(id: "a"), ["1-x"], isDeleted: true)
                == #"{"_id":"a","_rev":"1-x","_revisions":{"ids":["x"],"start":1},"_deleted":true}"#
        )
    }

    @Test func `come back as they went`() throws {
        var document = Document(id: "a")
        document["deep"] = ["x": [1, 2.5, "ü", true]] as [String: Any]
        document.attachments = [
            DocumentAttachment(name: "p", contentType: "text/plain", data: Data("hi".utf8))
        ]
        let text = try text(document, ["2-b", "1-a"])
        let found = try CouchDocument.read(JSONText.packed(from: Array(text.utf8)))
        guard case .revision(let revision)? = found else {
            Issue.record("It is no revision: \(text)")
            return
        }
        #expect(revision.path == ["2-b", "1-a"] && !revision.isDeleted)
        #expect(try revision.members == document.packed())
        #expect(revision.attachments.map(\.data) == [Data("hi".utf8)])
    }

    @Test func `are not sent when CouchDB cannot have them`() throws {
        var special = Document(id: "a")
        special["_mine"] = 1
        #expect(throws: CouchDocument.Unsendable.self) { try text(special, ["1-x"]) }
        var empty = Document(id: "b")
        empty.attachments = [
            try DocumentAttachment(
                name: "p", contentType: "x/y", length: 3,
                digest: String(repeating: "0", count: 64))
        ]
        #expect(throws: CouchDocument.Unsendable.self) { try text(empty, ["1-x"]) }
    }
}
