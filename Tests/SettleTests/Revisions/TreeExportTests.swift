import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `An export with revision trees` {
    /// A database with conflicts, deletions, long ancestry, texts as digests, and attachments.
    private func fill(_ database: Database, _ random: SeededGenerator) async throws {
        try await database.write { transaction in
            var random = random
            for number in 0..<60 {
                let id = "d\(random.next() % 12)"
                var document = Document(id: id)
                document[json: "n"] = .integer(Int64(number))
                if random.next() % 3 == 0 {
                    document.attachments = [
                        DocumentAttachment(
                            name: "f", contentType: "text/plain",
                            data: Data([UInt8(random.next() % 4)]))
                    ]
                }
                let leaf = try transaction.leaves(of: id).randomElement(using: &random)
                switch random.next() % 5 {
                case 0: try transaction.save(document)
                case 1: try transaction.delete(documentWithId: id)
                case 2:
                    if let leaf { try transaction.save(document, afterLeaf: leaf.revision) }
                default:
                    let generation = leaf.map { $0.ancestors.count + 2 } ?? 1
                    let isKnown = leaf.map { $0.revision.hasPrefix("\(generation - 1)-") } ?? true
                    let before = isKnown ? leaf.map { [$0.revision] + $0.ancestors } ?? [] : []
                    let digest =
                        random.next() % 2 == 0
                        ? "t \(random.next() % 9)"
                        : String(
                            repeating: "a\(random.next() % 9)", count: 16)
                    let revisions = ["\(before.count + 1)-\(digest)"] + before
                    try transaction.store(
                        document, revisions: revisions, isDeleted: random.next() % 4 == 0,
                        from: random.next() % 2 == 0 ? "there" : nil)
                }
            }
            for number in 0..<15 { try transaction.save(["id": "long", "n": .init(number)]) }
        }
    }

    @Test(arguments: [UInt64](1...5))
    func `gives an equal database`(seed: UInt64) async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            try await fill(database, SeededGenerator(seed: seed))
            let text = try await exports.text(of: database)
            #expect(text.hasPrefix("{\"settleExport\":2,"))
            #expect(try await database.check() == [])
            try await withDatabase { copy async throws in
                try await exports.add(text, to: copy)
                #expect(try await exports.text(of: copy) == text)
                #expect(try await copy.check() == [])
                #expect(try copy.conflictedDocuments() == database.conflictedDocuments())
                // Once more it changes nothing.
                try await exports.add(text, to: copy)
                #expect(try await exports.text(of: copy) == text)
            }
        }
    }

    @Test func `of a database that keeps none is one that earlier releases read`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            try await database.save(["id": "a"])
            #expect(try await exports.text(of: database).hasPrefix("{\"settleExport\":1,"))
        }
    }

    @Test(arguments: [
        ("\"leaves\":1", "\"leaves\":2"),
        ("\"leaf\":true,", ""),
        ("\"given\":true,", ""),
        ("\"settleExport\":2", "\"settleExport\":1"),
        ("\"revision\":\"1-a\"", "\"revision\":\"1-z\""),
        ("\"revision\":\"1-a\"", "\"revision\":\"01-a\""),
        ("\"id\":\"d\",\"sequence\":1,\"leaf\"", "\"id\":\"e\",\"sequence\":1,\"leaf\""),
    ])
    func `is refused when it was changed`(old: String, new: String) async throws {
        let exports = try Exports()
        try await withDatabase { database async throws -> Void in
            try await database.write { transaction in
                try transaction.store(["id": "d", "n": 1], revisions: ["1-a"])
                try transaction.store(["id": "d", "n": 2], revisions: ["1-b"])
            }
            let text = try await exports.text(of: database)
            #expect(text.contains(old))
            let changed = text.replacingOccurrences(of: old, with: new)
            try await withDatabase { copy async throws in
                await #expect(throws: DatabaseError.self) {
                    try await exports.add(changed, to: copy)
                }
                #expect(try copy.lastSequence == 0)
            }
        }
    }

    @Test(arguments: ExistingDocuments.allCases)
    func `leaves or replaces a document with all of its leaves`(
        policy: ExistingDocuments
    ) async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            try await database.write { transaction in
                try transaction.store(["id": "d", "n": 1], revisions: ["1-a"])
                try transaction.store(["id": "d", "n": 2], revisions: ["1-b"])
            }
            let text = try await exports.text(of: database)
            try await withDatabase { copy async throws in
                try await copy.write { transaction in
                    try transaction.store(["id": "d", "n": 3], revisions: ["1-c"])
                    try transaction.store(["id": "d", "n": 4], revisions: ["1-d"])
                }
                if policy == .fail {
                    await #expect(throws: DatabaseError.self) {
                        try await exports.add(text, to: copy, existing: policy)
                    }
                } else {
                    try await exports.add(text, to: copy, existing: policy)
                }
                let leaves = try copy.read { try $0.leaves(of: "d").map(\.revision) }
                #expect(leaves == (policy == .replace ? ["1-b", "1-a"] : ["1-d", "1-c"]))
                #expect(try await copy.check() == [])
            }
        }
    }
}
