import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Attacks on CouchDB's protocol` {
    /// What readers send to learn something, with every document, revision and attachment that there is.
    private static func questions(_ ids: [String], _ revisions: [String]) -> [(
        method: String, target: String, body: String
    )] {
        func text(_ value: JSONValue) -> String {
            String(decoding: JSONText.text(of: value), as: UTF8.self)
        }
        let list = JSONValue.array(revisions.map { .string($0) })
        let escaped =
            text(list).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        var all = [
            ("GET", "/db", ""), ("GET", "/db/_all_docs?include_docs=true&conflicts=true", ""),
            ("GET", "/db/_all_docs?descending=true&skip=1", ""),
            ("POST", "/db/_all_docs", text(["keys": .array(ids.map { .string($0) })])),
            ("GET", "/db/_changes?style=all_docs&include_docs=true&attachments=true", ""),
            ("GET", "/db/_changes?limit=1", ""), ("GET", "/db/_changes?descending=true", ""),
            ("GET", "/db/_local_docs", ""), ("GET", "/db/_local/mark", ""),
            ("POST", "/db/_revs_diff", text(.object(.init(ids.map { ($0, list) }) { $1 }))),
            ("POST", "/db/_missing_revs", text(.object(.init(ids.map { ($0, list) }) { $1 }))),
        ]
        for id in ids {
            all += [
                ("GET", "/db/\(id)?meta=true&revs=true&attachments=true", ""),
                ("GET", "/db/\(id)?open_revs=all&revs=true", ""),
                ("GET", "/db/\(id)?open_revs=\(escaped)&latest=true", ""),
                ("GET", "/db/\(id)/file", ""),
                ("POST", "/db/_changes?filter=_doc_ids", text(["doc_ids": [.string(id)]])),
            ]
            for revision in revisions {
                all += [
                    ("GET", "/db/\(id)?rev=\(revision)", ""),
                    ("GET", "/db/\(id)?rev=\(revision)&latest=true", ""),
                    ("GET", "/db/\(id)/file?rev=\(revision)", ""),
                    (
                        "POST", "/db/_bulk_get?revs=true&attachments=true",
                        text(["docs": [["id": .string(id), "rev": .string(revision)]]])
                    ),
                ]
            }
        }
        return all
    }

    /// An answer without the numbers that are of the whole database: sequences, and what the file takes.
    private static func comparable(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            let kept = members.filter {
                !["seq", "last_seq", "update_seq", "sizes"].contains($0.key)
            }
            return .object(kept.mapValues(comparable))
        case .array(let elements): return .array(elements.map(comparable))
        default: return value
        }
    }

    /// Leaves of a document with channels, as a replicator brings them.
    private static func leaf(
        _ id: String, _ revisions: [String], _ channels: [String]?, isDeleted: Bool = false,
        hasFile: Bool = false
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "_id": .string(id), "_rev": .string("\(revisions.count)-\(revisions[0])"),
            "_revisions": [
                "start": .integer(Int64(revisions.count)),
                "ids": .array(revisions.map { .string($0) }),
            ], "secret": .string("\(id) \(revisions[0])"),
        ]
        if let channels { members["channels"] = .array(channels.map { .string($0) }) }
        if isDeleted { members["_deleted"] = true }
        if hasFile {
            let data = Data("content of \(id) \(revisions[0])".utf8).base64EncodedString()
            members["_attachments"] = [
                "file": ["content_type": "text/plain", "data": .string(data)]
            ]
        }
        return .object(members)
    }

    @Test(arguments: [UInt64](1...16))
    func `find nothing but what the channels show, whatever is asked`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let reader = try await GuardedFace.token("bob", ["a", "c"])
        // Two servers: all that there is, and only what the reader sees.
        let (whole, part) = (try await GuardedFace(), try await GuardedFace())
        for guarded in [whole, part] {
            try await guarded.send(admin, "PUT", "/db")
            try await guarded.send(admin, "PUT", "/db/_local/mark", #"{"at":"secret"}"#)
        }
        var (ids, revisions): ([String], Set<String>) = ([], ["1-0"])
        for number in 0..<8 {
            let id = "d\(number)"
            ids.append(id)
            for place in 0..<Int(random.next() % 4) {
                let digests = (0..<Int(1 + random.next() % 2)).map { "\(place)x\($0)" } + ["r"]
                let channels: [String]? =
                    [["a"], ["b"], ["a", "b"], [], nil, ["c", "d"]]
                    .randomElement(using: &random) ?? nil
                let leaf = Self.leaf(
                    id, digests, channels, isDeleted: random.next() % 4 == 0,
                    hasFile: random.next() % 2 == 0)
                for index in digests.indices {
                    revisions.insert("\(digests.count - index)-\(digests[index])")
                }
                let body = JSONText.text(of: ["new_edits": false, "docs": [leaf]])
                let text = String(decoding: body, as: UTF8.self)
                let isSeen = channels?.contains { ["a", "c"].contains($0) } ?? false
                for guarded in isSeen ? [whole, part] : [whole] {
                    let answer = try await guarded.send(admin, "POST", "/db/_bulk_docs", text)
                    #expect(answer.json == [], "\(random)")
                }
            }
        }
        for question in Self.questions(ids, revisions.sorted()) {
            let found = await whole.read(reader, question.method, question.target, question.body)
            let expected = await part.read(
                admin, question.method, question.target, question.body)
            let text = String(decoding: found.bytes, as: UTF8.self)
            if question.target.contains("_local") {
                // Local documents are each sender's own.
                #expect(!text.contains("secret"), "\(question), \(random)")
                continue
            }
            #expect(found.status == expected.status, "\(question), \(random)")
            guard let json = try? JSONText.value(from: found.bytes) else {
                #expect(found.bytes == expected.bytes, "\(question), \(random)")
                continue
            }
            let other = try JSONText.value(from: expected.bytes)
            #expect(
                Self.comparable(json) == Self.comparable(other),
                "\(question), \(text), \(other), \(random)")
        }
        await whole.face.databases.close()
        await part.face.databases.close()
    }

    @Test func `cannot write what is hidden, nor take it, nor make it lose`() async throws {
        let guarded = try await GuardedFace()
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let user = try await GuardedFace.token("bob", ["a"])
        try await guarded.send(admin, "PUT", "/db")
        let hidden = #"{"channels":["b"],"_attachments":{"f":{"data":"c2VjcmV0"}}}"#
        let stored = try await guarded.send(admin, "PUT", "/db/x", hidden)
        let revision = stored.revision
        let digest = String(revision.dropFirst(2))
        let own = #"{"channels":["a"],"_attachments":{"f":{"stub":true}}}"#
        for (method, target, body, statuses) in [
            ("PUT", "/db/x", #"{"channels":["a"]}"#, [409]),
            ("PUT", "/db/x?rev=\(revision)", own, [409]),
            ("PUT", "/db/x?rev=\(revision)", #"{"channels":["b"]}"#, [403]),
            ("DELETE", "/db/x", "", [404]), ("DELETE", "/db/x?rev=\(revision)", "", [409]),
            ("PUT", "/db/x/g?rev=\(revision)", "data", [403, 409]),
            ("PUT", "/db/new/g", "data", [403]), ("PUT", "/db/new", "{}", [403]),
            ("PUT", "/db/new", #"{"channels":["a","b"]}"#, [403]),
            ("PUT", "/db/new", #"{"channels":["a",1]}"#, [403]),
            ("PUT", "/db/new", #"{"channels":"a"}"#, [403]),
            ("PUT", "/db/new", #"{"channels":[]}"#, [403]),
            ("POST", "/db", #"{"_id":"x","channels":["a"]}"#, [409]),
            ("PUT", "/db/new", #"{"channels":["a"],"_attachments":{"f":{"stub":true}}}"#, [412]),
            (
                "PUT", "/db/x?new_edits=false",
                "{\"_rev\":\"9-ff\",\"channels\":[\"a\"],\"_revisions\":{\"start\":9,\"ids\":[\"ff\"]}}",
                [403]
            ),
            (
                "PUT", "/db/x?new_edits=false",
                "{\"_rev\":\"2-ff\",\"channels\":[\"a\"],\"_revisions\":{\"start\":2,\"ids\":[\"ff\",\"\(digest)\"]},\"_attachments\":{\"f\":{\"stub\":true}}}",
                [403]
            ),
            ("PUT", "/db/x?new_edits=false", "{\"_rev\":\"2-ff\",\"_deleted\":true}", [403]),
        ] {
            let answer = try await guarded.send(user, method, target, body)
            #expect(statuses.contains(answer.status), "\(method) \(target) \(body): \(answer)")
        }
        let copied = try await guarded.face.send(
            "COPY", "/db/x?rev=\(revision)",
            headers: ["authorization": "Bearer \(user)", "destination": "mine"])
        #expect(copied.status == 404)
        let bulk = try await guarded.send(
            user, "POST", "/db/_bulk_docs",
            #"{"docs":[{"_id":"x","channels":["a"]},{"_id":"y","channels":["a"]},{"_id":"z"}]}"#)
        #expect(bulk.json.arrayValue?.map { $0["error"] } == ["conflict", nil, "forbidden"])
        // All is as it was.
        let read = try await guarded.send(admin, "GET", "/db/x?conflicts=true").json
        #expect(read["_rev"] == .string(revision) && read["_conflicts"] == nil)
        // Out of one's own channels nothing goes.
        let mine = try await guarded.send(user, "GET", "/db/y").json["_rev"]?.stringValue ?? ""
        #expect(
            try await guarded.send(user, "PUT", "/db/y?rev=\(mine)", #"{"channels":["b"]}"#)
                .status == 403)
        await guarded.face.databases.close()
    }

    @Test func `hide no deletion from those who saw the document`() async throws {
        let guarded = try await GuardedFace()
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let (user, other) = (
            try await GuardedFace.token("bob", ["a"]), try await GuardedFace.token("eve", ["b"])
        )
        try await guarded.send(admin, "PUT", "/db")
        func seen(_ token: String) async throws -> [JSONValue?] {
            let answer = try await guarded.send(token, "GET", "/db/_changes").json
            return answer["results"]?.arrayValue?.map { $0["deleted"] } ?? []
        }
        let stored = try await guarded.send(user, "PUT", "/db/x", #"{"channels":["a"]}"#)
        let gone = try await guarded.send(user, "DELETE", "/db/x?rev=\(stored.revision)")
        #expect(gone.status == 200)
        #expect(try await seen(user) == [true])
        #expect(try await seen(other) == [])
        #expect(try await guarded.send(user, "GET", "/db/x?rev=\(gone.revision)").status == 200)
        #expect(try await guarded.send(other, "GET", "/db/x?rev=\(gone.revision)").status == 404)
        // A replicated deletion, too; and the history goes on.
        let again = try await guarded.send(user, "PUT", "/db/x", #"{"channels":["a"]}"#)
        #expect(again.revision.hasPrefix("3-"))
        let digests = [again, gone, stored].map { $0.revision.dropFirst(2) }
        let body =
            "{\"_rev\":\"4-f\",\"_deleted\":true,\"_revisions\":{\"start\":4,\"ids\":[\"f\",\"\(digests.joined(separator: "\",\""))\"]}}"
        #expect(try await guarded.send(user, "PUT", "/db/x?new_edits=false", body).status == 201)
        #expect(try await seen(user) == [true])
        #expect(try await seen(other) == [])
        let info = try await guarded.send(user, "GET", "/db").json
        #expect(info["doc_count"] == 0 && info["doc_del_count"] == 1)
        await guarded.face.databases.close()
    }

    @Test func `do not share local documents`() async throws {
        let guarded = try await GuardedFace()
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        try await guarded.send(admin, "PUT", "/db")
        let bob = try await GuardedFace.token("bob", ["a"])
        let more = try await GuardedFace.token("bob", ["a", "b"])
        #expect(try await guarded.send(bob, "PUT", "/db/_local/c", "{}").status == 201)
        #expect(try await guarded.send(bob, "GET", "/db/_local/c").status == 200)
        // A checkpoint is none for who sees more than when it was made.
        for token in [more, admin] {
            #expect(try await guarded.send(token, "GET", "/db/_local/c").status == 404)
            #expect(try await guarded.send(token, "DELETE", "/db/_local/c").status == 404)
            #expect(try await guarded.send(token, "GET", "/db/_local_docs").json["rows"] == [])
        }
        #expect(
            try await guarded.send(bob, "GET", "/db/_local_docs").json["rows"]?.arrayValue?.count
                == 1)
        #expect(try await guarded.send(bob, "PUT", "/db/_local/%00c", "{}").status == 400)
        await guarded.face.databases.close()
    }
}
