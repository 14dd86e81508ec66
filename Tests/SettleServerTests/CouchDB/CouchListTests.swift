import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Lists of CouchDB's protocol` {
    private func bytes(_ response: CouchResponse) async -> [UInt8] {
        guard case .stream(let stream) = response.body else { return response.bytes }
        var bytes: [UInt8] = []
        for await piece in stream { bytes += piece }
        return bytes
    }

    private func store(_ ids: [String], _ face: Face, text: String = "") async throws {
        let docs: [JSONValue] = ids.map { ["_id": .string($0), "text": .string(text)] }
        let body = String(decoding: JSONText.text(of: ["docs": .array(docs)]), as: UTF8.self)
        #expect(try await face.send("POST", "/db/_bulk_docs", body).status == 201)
    }

    @Test(arguments: [UInt64](1...4))
    func `are what a walk over all documents finds`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await withFace { face async throws in
            let letters = ["a", "b", "B", "é", "e\u{301}", "/", "~", "\u{10FFFF}"]
            func id() -> String {
                (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? "a"
                }.joined()
            }
            var live: [[UInt8]] = []
            for name in Set((0..<60).map { _ in Array(id().utf8) }) {
                let text = String(decoding: name, as: UTF8.self)
                try await store([text], face)
                if Int.random(in: 0..<4, using: &random) > 0 {
                    live.append(name)
                } else {
                    let path = try #require(
                        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                    let read = try await face.send("GET", "/db/\(path)")
                    let revision = read.json["_rev"]?.stringValue ?? ""
                    let gone = try await face.send("DELETE", "/db/\(path)?rev=\(revision)")
                    #expect(gone.status == 200)
                }
            }
            live.sort { $0.lexicographicallyPrecedes($1) }
            for _ in 0..<150 {
                let isDescending = Bool.random(using: &random)
                let includesEnd = Bool.random(using: &random)
                let (start, end) = (
                    Bool.random(using: &random) ? id() : nil,
                    Bool.random(using: &random) ? id() : nil
                )
                let skip = Int.random(in: 0...3, using: &random)
                let limit = Int.random(in: 0...20, using: &random)
                var query: [String: JSONValue] = [
                    "descending": .bool(isDescending), "inclusive_end": .bool(includesEnd),
                    "skip": .integer(Int64(skip)), "limit": .integer(Int64(limit)),
                ]
                query["startkey"] = start.map { .string($0) }
                query["endkey"] = end.map { .string($0) }
                let ordered = isDescending ? live.reversed() : live
                func isBefore(_ left: [UInt8], _ right: String) -> Bool {
                    isDescending
                        ? Array(right.utf8).lexicographicallyPrecedes(left)
                        : left.lexicographicallyPrecedes(Array(right.utf8))
                }
                let before = start.map { start in ordered.count { isBefore($0, start) } } ?? 0
                let range = ordered.dropFirst(before).filter { id in
                    end.map {
                        isBefore(id, $0) || includesEnd && id == Array($0.utf8)
                    } ?? true
                }
                let text = String(decoding: JSONText.text(of: .object(query)), as: UTF8.self)
                let list = try await face.send("POST", "/db/_all_docs", text).json
                let found = list["rows"]?.arrayValue?.map {
                    Array(($0["id"]?.stringValue ?? "").utf8)
                }
                let note: Comment = "\(text), seed \(seed)"
                #expect(found == Array(range.dropFirst(skip).prefix(limit)), note)
                #expect(list["total_rows"] == .integer(Int64(live.count)), note)
                #expect(
                    list["offset"] == .integer(Int64(before + min(skip, range.count))), note)
            }
        }
    }

    @Test func `take keys that are no texts as what comes before all, or behind`() async throws {
        try await withFace { face async throws in
            try await store(["a", "b"], face)
            for (query, expected) in [
                ("startkey=1", ["a", "b"]), ("endkey=null", []), ("startkey={}", []),
                ("endkey=[]", ["a", "b"]), ("startkey=\"\"", ["a", "b"]), ("endkey=\"\"", []),
                ("descending=true&startkey={}", ["b", "a"]), ("key=true", []),
                ("skip=9223372036854775807&limit=9223372036854775807", []),
            ] {
                let list = try await face.send("GET", "/db/_all_docs?\(query)")
                let ids = list.json["rows"]?.arrayValue?.compactMap { $0["id"]?.stringValue }
                #expect(ids == expected, "\(query): \(list)")
            }
        }
    }

    @Test func `that are long come in pieces`() async throws {
        try await withFace { face async throws in
            let ids = (0..<1_300).map { "d\(10_000 + $0)" }
            try await store(ids, face, text: String(repeating: "x", count: 1_000))
            let keys = JSONText.text(of: ["keys": .array(ids.map { .string($0) })])
            let wanted = ids.map { "{\"id\":\"\($0)\"}" }.joined(separator: ",")
            for (method, target, body) in [
                ("GET", "/db/_all_docs?include_docs=true", ""),
                (
                    "POST", "/db/_all_docs?include_docs=true",
                    String(decoding: keys, as: UTF8.self)
                ), ("POST", "/db/_bulk_get", "{\"docs\":[\(wanted)]}"),
            ] {
                let response = await face.respond(method, target, body)
                guard case .stream = response.body else {
                    Issue.record("A long answer is whole in memory: \(target)")
                    continue
                }
                let json = try JSONText.value(from: await bytes(response))
                let rows = (json["rows"] ?? json["results"])?.arrayValue
                #expect(rows?.map { $0["id"]?.stringValue } == ids, "\(method) \(target)")
            }
            let two = await face.respond(
                "POST", "/db/_all_docs/queries",
                #"{"queries":[{"include_docs":true},{"descending":true,"limit":2}]}"#)
            let results = try JSONText.value(from: await bytes(two))["results"]?.arrayValue
            #expect(results?.map { $0["rows"]?.arrayValue?.count } == [1_300, 2])
            let down = try await face.send("GET", "/db/_all_docs?descending=true")
            #expect(
                down.json["rows"]?.arrayValue?.map { $0["id"]?.stringValue } == ids.reversed())
        }
    }

    @Test func `of readers of a part have what is theirs, and say nothing of the rest`()
        async throws
    {
        let guarded = try await GuardedFace()
        let admin = try await GuardedFace.token("anna", ["a", "b"], roles: ["_admin"])
        let reader = try await GuardedFace.token("bob", ["a"])
        try await guarded.send(admin, "PUT", "/db")
        for (id, channel) in [("1", "a"), ("2", "b"), ("3", "a"), ("4", "b")] {
            let stored = try await guarded.send(
                admin, "PUT", "/db/\(id)", "{\"channels\":[\"\(channel)\"]}")
            #expect(stored.status == 201)
        }
        for (query, expected) in [
            ("", ["1", "3"]), ("skip=1", ["3"]), ("startkey=\"2\"", ["3"]), ("limit=1", ["1"]),
            ("descending=true", ["3", "1"]), ("key=\"2\"", []),
        ] {
            let list = try await guarded.send(reader, "GET", "/db/_all_docs?\(query)").json
            let ids = list["rows"]?.arrayValue?.compactMap { $0["id"]?.stringValue }
            #expect(ids == expected, "\(query)")
            #expect(list["total_rows"] == 2 && list["offset"]?.integerValue ?? 0 < 3)
        }
        await guarded.face.databases.close()
    }

    @Test func `of wanted documents go on behind one that is malformed`() async throws {
        try await withFace { face async throws in
            try await store(["a"], face)
            let body = #"""
                {"docs":[{"id":"a","rev":"x"},{"rev":"1-a"},7,{"id":"a","atts_since":"1-a"},
                {"id":"a","atts_since":["q"]},{"id":"a","rev":5},{"id":"b"},{"id":"a"}]}
                """#
            let answer = try await face.send("POST", "/db/_bulk_get", body)
            #expect(answer.status == 200)
            let results = answer.json["results"]?.arrayValue ?? []
            let errors = results.map { $0["docs"]?.arrayValue?.first?["error"] ?? .null }
            #expect(
                errors.map { $0["reason"] ?? .null } == [
                    "Invalid rev format", "document id missed", "document must be a JSON object",
                    "att_since value must be array of revs.", "Invalid rev format",
                    "Invalid rev format", "missing", .null,
                ])
            #expect(
                errors.first == [
                    "id": "a", "rev": "x", "error": "bad_request", "reason": "Invalid rev format",
                ])
            #expect(errors[6]["rev"] == "undefined")
            #expect(results.last?["docs"]?.arrayValue?.first?["ok"]?["_id"] == "a")
        }
    }

    @Test func `of databases are ranges, too`() async throws {
        try await withFace { face async throws in
            for name in ["a", "b", "c"] { try await face.send("PUT", "/\(name)") }
            for (query, expected) in [
                ("limit=2", ["a", "b"]), ("skip=1&limit=1", ["b"]), ("key=\"c\"", ["c"]),
                ("startkey=\"b\"", ["b", "c", "db"]), ("endkey=\"b\"", ["a", "b"]),
                ("descending=true&limit=1", ["db"]),
            ] {
                let names = try await face.send("GET", "/_all_dbs?\(query)").json
                #expect(names == .array(expected.map { .string($0) }), "\(query)")
            }
        }
    }
}
