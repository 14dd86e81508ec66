@testable import Settle
import SettlePrimitives
import SettleStorage
import TestSupport
import Testing

@Suite(.serialized) struct `An index that is damaged` {
    /// What is done to the tables of the index `i` behind its back.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (StoreTransaction) throws -> Void

        private static func key(_ slot: UInt8) -> [UInt8] { Array("i".utf8) + [0, slot] }

        /// The slot that has a state.
        private static func used(_ transaction: StoreTransaction) throws -> UInt8 {
            let table = try transaction.table(named: "views")
            return try table?.value(for: key(0)) == nil ? 1 : 0
        }

        /// Puts other bytes in the place of the state.
        private static func state(
            _ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) -> Damage {
            Damage(testDescription: "a state that is \(name)") { transaction in
                let table = try transaction.createTable(named: "views")
                let key = try key(used(transaction))
                try table.set(change(table.value(for: key) ?? []), for: key)
            }
        }

        private static func missing(_ part: String) -> Damage {
            Damage(testDescription: "a missing table of \(part)") { transaction in
                let slot = try used(transaction)
                try transaction.table(named: "view/i/\(slot)/\(part)")?.drop()
            }
        }

        static let all = [
            state("garbage") { _ in [1, 2, 3] },
            state("empty") { _ in [] },
            state("cut short") { Array($0.prefix($0.count / 2)) },
            state("all ones") { $0.map { _ in 0xFF } },
            state("all zeros") { $0.map { _ in 0 } },
            missing("rows"), missing("documents"), missing("side"),
            Damage(testDescription: "rows that are garbage") { transaction in
                let slot = try used(transaction)
                let table = try transaction.createTable(named: "view/i/\(slot)/rows")
                var keys: [[UInt8]] = []
                try table.forEach { key, _ in
                    keys.append(key.rest(from: 0))
                    return true
                }
                for key in keys { try table.set([9, 9, 9], for: key) }
            },
            Damage(testDescription: "a second state that is garbage") { transaction in
                let table = try transaction.createTable(named: "views")
                let slot = try used(transaction)
                try table.set([7, 7], for: key(1 - slot))
            },
        ]
    }

    private static let indexes = [
        Database.Index(name: "i", version: "1") { document, addIndexRow in
            addIndexRow(document["n"], nil)
        },
        MapCalls().index("sound", of: "m"),
        Database.Index.keyPaths(name: "declared", keys: [["n"]]),
    ]

    @Test(arguments: Damage.all)
    func `leaves the documents and the other indexes alone, and is mended by adding it again`(
        damage: Damage
    ) async throws {
        let directory = try ScratchDirectory("damaged")
        try await withDatabase(in: directory, indexes: Self.indexes) { database async throws in
            try await database.addNumbers(0..<300)
            for index in Self.indexes { try await database.buildIndex(named: index.name) }
            try await database.store.write { try damage.apply($0) }
        }
        try await withDatabase(in: directory, indexes: Self.indexes) { database async throws in
            #expect(try database.totalDocumentCount == 300)
            #expect(try await database.fetchDocument("10007")?["n"] as? Int == 7)
            #expect(try await database.keys(of: "sound") == Array(-299...0))
            #expect(try await database.keys(of: "declared") == Array(0..<300))
            let findings = try await database.check()
            #expect(findings.contains { $0.place.contains("index") }, "\(findings)")

            try await database.removeIndex(named: "i")
            try await database.addIndex(Self.indexes[0])
            #expect(try await database.keys(of: "i") == Array(0..<300))
            let left = try await database.check()
            #expect(left == [])
            #expect(try database.indexStatus(named: "i").isCurrent)
        }
        try await withDatabase(in: directory, indexes: Self.indexes) { database async throws in
            #expect(try await database.keys(of: "i") == Array(0..<300))
            #expect(try await database.check() == [])
        }
    }

    @Test func `whose name cannot be read is found, and keeps nothing from being read`()
        async throws
    {
        let directory = try ScratchDirectory("damaged")
        try await withDatabase(in: directory, indexes: Self.indexes) { database async throws in
            try await database.addNumbers(0..<30)
            for index in Self.indexes { try await database.buildIndex(named: index.name) }
            try await database.store.write { transaction in
                try transaction.createTable(named: "views").set([7, 7], for: [0xFF])
            }
        }
        try await withDatabase(in: directory, indexes: Self.indexes) { database async throws in
            #expect(try database.totalDocumentCount == 30)
            try await database.addNumbers(30..<40)
            #expect(try await database.keys(of: "i") == Array(0..<40))
            let findings = try await database.check()
            #expect(findings.map(\.place) == ["indexes"])
        }
    }
}
