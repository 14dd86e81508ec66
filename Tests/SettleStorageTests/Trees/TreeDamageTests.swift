import SettleDocuments
import SettleLMDB
import Testing
import TestSupport

@testable import SettleStorage

@Suite(.serialized) struct `Checking revision trees` {
    /// What a damage does to the tables, and where it must be found.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let place: String
        let apply: @Sendable (WriteTransaction, StoreTables, TreeTables) throws -> Void

        private static let id = Array("d".utf8)
        private static var lost: [UInt8] {
            get throws { TreeTables.leafKey(id, try #require(RevisionName("2-a")).standIn) }
        }

        static let all: [Damage] = [
            Damage(testDescription: "a lost tree", place: "document 'd'") {
                try $0.delete(id, from: $2.trees)
            },
            Damage(testDescription: "a tree that is garbage", place: "document 'd'") {
                try $0.put([1, 7], for: id, in: $2.trees)
            },
            Damage(testDescription: "another tree", place: "document 'd'") {
                let tree = RevisionTree(
                    RevisionPath(try #require(RevisionName("9-z"))), isDeleted: false)
                try $0.put(tree.encoded(), for: id, in: $2.trees)
            },
            Damage(testDescription: "a stray tree", place: "trees") {
                let row = try #require(try $0.value(for: id, in: $2.trees))
                try $0.put(row, for: Array("plain".utf8), in: $2.trees)
            },
            Damage(testDescription: "a lost leaf", place: "document 'd'") {
                try $0.delete(try lost, from: $2.leaves)
            },
            Damage(testDescription: "a leaf with another body", place: "leaf 2-a of document 'd'") {
                var row = try #require(try $0.value(for: try lost, in: $2.leaves))
                row[row.count - 1] ^= 1
                try $0.put(row, for: try lost, in: $2.leaves)
            },
            Damage(testDescription: "a leaf under another revision", place: "leaves") {
                let row = try #require(try $0.value(for: try lost, in: $2.leaves))
                let key = TreeTables.leafKey(id, try #require(RevisionName("2-q")).standIn)
                try $0.put(row, for: key, in: $2.leaves)
            },
            Damage(testDescription: "a leaf of no document", place: "leaves") {
                let row = try #require(try $0.value(for: try lost, in: $2.leaves))
                let key = TreeTables.leafKey(
                    Array("e".utf8), try #require(RevisionName("2-a")).standIn)
                try $0.put(row, for: key, in: $2.leaves)
            },
            Damage(testDescription: "a leaf under no key", place: "leaves") {
                try $0.put([1], for: [9, 9], in: $2.leaves)
            },
            Damage(testDescription: "a lost conflict", place: "document 'd'") {
                try $0.delete(id, from: $2.conflicts)
            },
            Damage(testDescription: "a stray conflict", place: "conflicts") {
                try $0.put([1], for: Array("plain".utf8), in: $2.conflicts)
            },
            Damage(testDescription: "another limit", place: "meta, revision limit") {
                writer, tables, _ in
                try writer.put([0x78], for: Array("revision limit".utf8), in: tables.meta)
            },
        ]
    }

    private func filled() async throws -> ScratchStore {
        let scratch = try ScratchStore()
        try await scratch.store.write { transaction in
            try transaction.put(
                "plain", body: try body(["n": 1]), precondition: .none, origin: nil)
            for text in ["2-b", "2-a"] {
                let path = RevisionPath(try #require(RevisionName(text)))
                _ = try transaction.put(
                    GivenRevision(path: path, body: try body(["n": true])), of: "d")
            }
        }
        return scratch
    }

    // The engine's writing is not to be called from asynchronous code.
    private func apply(_ damage: Damage, to path: String) throws {
        let environment = try Environment.open(at: path, create: false)
        defer { environment.close() }
        try environment.write { writer in
            let trees = try #require(try TreeTables(findingIn: writer))
            try damage.apply(writer, try StoreTables(findingIn: writer), trees)
        }
    }

    @Test func `finds nothing in sound ones`() async throws {
        #expect(try await filled().findings() == [])
    }

    @Test(arguments: Damage.all)
    func `finds each damage where it is`(damage: Damage) async throws {
        let scratch = try await filled()
        try apply(damage, to: scratch.directory.path)
        let findings = try scratch.findings()
        #expect(findings.contains { $0.place == damage.place }, "\(findings)")
    }
}
