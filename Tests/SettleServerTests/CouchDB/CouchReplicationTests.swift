import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// A replicator that sends what CouchDB 3.5.0 was seen to send, call by call, and nothing else.
private struct Replicator {
    let face: Face
    let source: String
    let target: String
    private var checkpoint: String { "_local/\(source)-to-\(target)" }

    /// One replication; a break leaves out the checkpoints at its end.
    ///
    /// - Returns: How many documents were written.
    func run(breaksOff: Bool = false) async throws -> Int {
        #expect(try await face.send("GET", "/\(source)").status == 200)
        #expect(try await face.send("GET", "/\(target)").status == 200)
        let (there, here) = try await (
            face.send("GET", "/\(source)/\(checkpoint)"),
            face.send("GET", "/\(target)/\(checkpoint)")
        )
        let isCommon = there.status == 200 && there.json["session_id"] == here.json["session_id"]
        let since = isCommon ? there.json["source_last_seq"]?.stringValue ?? "0" : "0"
        let changes = try await face.send(
            "GET", "/\(source)/_changes?feed=normal&style=all_docs&since=\(since)&timeout=10000"
        ).json
        var wanted: [String: JSONValue] = [:]
        for row in changes["results"]?.arrayValue ?? [] {
            let revisions = row["changes"]?.arrayValue?.compactMap { $0["rev"] } ?? []
            wanted[row["id"]?.stringValue ?? ""] = .array(revisions)
        }
        var written = 0
        let difference = try await face.send("POST", "/\(target)/_revs_diff", text(.object(wanted)))
            .json
        let missing = difference.objectValue ?? [:]
        if !missing.isEmpty {
            let asked = missing.sorted { $0.key < $1.key }.flatMap { id, value in
                (value["missing"]?.arrayValue ?? []).map { revision -> JSONValue in
                    [
                        "id": .string(id), "rev": revision,
                        "atts_since": value["possible_ancestors"] ?? [],
                    ]
                }
            }
            let got = try await face.send(
                "POST", "/\(source)/_bulk_get?latest=true&revs=true&attachments=true",
                text(["docs": .array(asked)])
            ).json
            let documents = (got["results"]?.arrayValue ?? []).flatMap {
                ($0["docs"]?.arrayValue ?? []).compactMap { $0["ok"] }
            }
            written = documents.count
            let stored = try await face.send(
                "POST", "/\(target)/_bulk_docs",
                text(["new_edits": false, "docs": .array(documents)]),
                headers: ["x-couch-full-commit": "false"])
            #expect(stored.status == 201 && stored.json == [])
        }
        if breaksOff { return written }
        for database in [source, target] {
            let commit = try await face.send("POST", "/\(database)/_ensure_full_commit")
            #expect(commit.status == 201)
            let record = text([
                "session_id": .string("\(changes["last_seq"]?.stringValue ?? "")"),
                "source_last_seq": changes["last_seq"] ?? .null, "replication_id_version": 4,
                "history": [],
            ])
            #expect(try await face.send("PUT", "/\(database)/\(checkpoint)", record).status == 201)
        }
        return written
    }

    private func text(_ value: JSONValue) -> String {
        String(decoding: JSONText.text(of: value), as: UTF8.self)
    }
}

@Suite(.serialized) struct `Replication over CouchDB's protocol` {
    /// All leaves of all documents of a database.
    private func leaves(_ face: Face, _ name: String) async throws -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        let rows = try await face.send("GET", "/\(name)/_changes?style=all_docs").json["results"]
        for row in rows?.arrayValue ?? [] {
            let id = row["id"]?.stringValue ?? ""
            found[id] = try await face.send(
                "GET", "/\(name)/\(id)?open_revs=all&revs=true&attachments=true"
            ).json
        }
        return found
    }

    private func edit(
        _ face: Face, _ name: String, using random: inout SeededGenerator
    ) async throws {
        let id = "d\(random.next() % 5)"
        let read = try await face.send("GET", "/\(name)/\(id)?conflicts=true")
        let leaves = [read.json["_rev"]] + (read.json["_conflicts"]?.arrayValue ?? [])
        let leaf = leaves.compactMap { $0?.stringValue }.randomElement(using: &random)
        let query = leaf.map { "?rev=\($0)" } ?? ""
        switch random.next() % 6 {
        case 0: try await face.send("DELETE", "/\(name)/\(id)\(query)")
        case 1:
            try await face.send("PUT", "/\(name)/\(id)/f\(query)", "content \(random.next() % 3)")
        default:
            let kept = read.json["_attachments"] != nil && leaf == read.json["_rev"]?.stringValue
            let attachments = kept ? #","_attachments":{"f":{"stub":true}}"# : ""
            try await face.send(
                "PUT", "/\(name)/\(id)\(query)", "{\"n\":\(random.next() % 100)\(attachments)}")
        }
    }

    @Test(arguments: [UInt64](1...12))
    func `makes all leaves equal, in any topology, with breaks at any time`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let face = try Face()
        let names = (0..<Int(2 + seed % 4)).map { "r\($0)" }
        for name in names { try await face.send("PUT", "/\(name)") }
        // A ring in one direction, a line in both, or any two.
        func pair() -> (String, String) {
            let place = Int(random.next() % UInt64(names.count))
            switch seed % 3 {
            case 0: return (names[place], names[(place + 1) % names.count])
            case 1:
                let next = min(place + 1, names.count - 1)
                return random.next() % 2 == 0
                    ? (names[max(0, next - 1)], names[next])
                    : (names[next], names[max(0, next - 1)])
            default:
                return (names[place], names[Int(random.next() % UInt64(names.count))])
            }
        }
        for _ in 0..<40 {
            for _ in 0..<3 {
                try await edit(face, names.randomElement(using: &random) ?? "r0", using: &random)
            }
            let (source, target) = pair()
            if source != target {
                let breaksOff = random.next() % 3 == 0
                _ = try await Replicator(face: face, source: source, target: target)
                    .run(breaksOff: breaksOff)
            }
        }
        for _ in names {
            for source in names {
                for target in names where target != source {
                    _ = try await Replicator(face: face, source: source, target: target).run()
                }
            }
        }
        let all = try await leaves(face, names[0])
        #expect(!all.isEmpty)
        for name in names {
            #expect(try await leaves(face, name) == all, "\(name), \(random)")
            let database = try await face.databases.database(name).database
            #expect(try await database.check() == [], "\(name), \(random)")
            for target in names where target != name {
                let written = try await Replicator(face: face, source: name, target: target).run()
                #expect(written == 0, "\(random)")
            }
        }
        await face.databases.close()
    }
}
