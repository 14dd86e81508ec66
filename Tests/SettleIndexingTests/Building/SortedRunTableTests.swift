import SettleDocuments
import SettlePrimitives
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `Stored runs of a build` {
    /// A build all of whose documents are mapped, with its runs still to be merged.
    private func mapped() async throws -> (TestIndex, IndexDefinition) {
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.count))
        for number in 0..<60 {
            try await index.put("d\(number)", [(.integer(Int64(number * 7 % 60)), nil)])
        }
        // A version before, so that there is something to answer meanwhile.
        try await index.build(TestIndex.definition(.builtIn(.count), version: "0"))
        try await index.build(definition, rangeCount: 20, stepsMax: 4)
        let plan = try #require(try index.plan(definition))
        #expect(plan.state.build?.isMapped == true && plan.state.build?.runCount == 3)
        return (index, definition)
    }

    private func change(
        _ index: TestIndex, _ definition: IndexDefinition,
        _ body: @escaping @Sendable (OrderedTable, [[UInt8]]) throws -> Void
    ) async throws {
        let slot = try #require(try index.plan(definition)).slot
        try await index.store.write { transaction in
            let table = try transaction.createTable(named: "view/test/\(slot)/side")
            var keys: [[UInt8]] = []
            try table.forEach { key, _ in
                keys.append(key.rest(from: 0))
                return true
            }
            try body(table, keys)
        }
    }

    private static let huge: [UInt8] = Array(repeating: 0xFF, count: 9) + [0x01]

    /// The key or the value of a run, spoilt.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (OrderedTable, [[UInt8]]) throws -> Void

        static let all = [
            Damage(testDescription: "no value") { try $0.set([], for: $1[0]) },
            Damage(testDescription: "garbage") { try $0.set([3, 200, 200, 200], for: $1[0]) },
            Damage(testDescription: "a huge count") { try $0.set(huge + [0, 0], for: $1[0]) },
            Damage(testDescription: "a count without an end") {
                try $0.set(Array(repeating: 0x80, count: 20), for: $1[0])
            },
            Damage(testDescription: "a huge length of a key") {
                try $0.set([1, 0] + huge, for: $1[0])
            },
            Damage(testDescription: "a huge length of a value") {
                try $0.set([1, 0, 1, 65, 1] + huge, for: $1[0])
            },
            Damage(testDescription: "no entries") { try $0.set([0], for: $1[0]) },
            Damage(testDescription: "one entry less than it says") { table, keys in
                var bytes = try table.value(for: keys[0]) ?? []
                bytes[0] += 1
                try table.set(bytes, for: keys[0])
            },
            Damage(testDescription: "one entry more than it says") { table, keys in
                var bytes = try table.value(for: keys[0]) ?? []
                bytes[0] -= 1
                try table.set(bytes, for: keys[0])
            },
            Damage(testDescription: "a cut") { table, keys in
                let bytes = try table.value(for: keys[0]) ?? []
                try table.set(Array(bytes.dropLast()), for: keys[0])
            },
            Damage(testDescription: "a short key") { table, keys in
                try table.set([1], for: [keys[0][0], 0, 0, 0, 9])
            },
            Damage(testDescription: "a long key") { table, keys in
                try table.set([1], for: [keys[0][0], 0, 0, 0, 9, 0, 0, 0, 0, 0])
            },
            Damage(testDescription: "the last number there is") { table, keys in
                try table.set([9], for: [keys[0][0]] + Array(repeating: 0xFF, count: 8))
            },
        ]
    }

    @Test(arguments: Damage.all)
    func `that are damaged are refused, and the index can be removed and built`(
        damage: Damage
    ) async throws {
        let (index, definition) = try await mapped()
        try await change(index, definition, damage.apply)
        let error = await #expect(throws: IndexError.self) {
            try await index.build(definition, rangeCount: 20)
        }
        guard case .corrupted? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // The rows of the version before answer as ever.
        #expect(try index.answer(IndexQuery(), definition).rows.count == 60)
        try await index.store.write { try IndexBuildSteps.remove(name: "test", in: $0) }
        try await index.build(definition)
        #expect(try index.answer(IndexQuery(), definition).rows.count == 60)
        #expect(try index.findings(definition) == [])
    }

    @Test func `with any byte changed never end the process`() async throws {
        let (index, definition) = try await mapped()
        let slot = try #require(try index.plan(definition)).slot
        let name = "view/test/\(slot)/side"
        let (key, bytes) = try index.store.read("test") { snapshot in
            let table = try #require(try snapshot.table(named: name))
            var first: ([UInt8], [UInt8])?
            try table.forEach { key, value in
                first = (key.rest(from: 0), value.rest(from: 0))
                return false
            }
            return try #require(first)
        }
        var refused = 0
        for position in bytes.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] where value != bytes[position] {
                var changed = bytes
                changed[position] = value
                let block = changed
                // Nothing of it is kept: the transaction is given up.
                await #expect(throws: (any Error).self) {
                    try await index.store.write { transaction in
                        let table = try transaction.createTable(named: name)
                        try table.set(block, for: key)
                        var merge = SortedRunMerge(
                            blocks: try SortedRunTable(table).sources().map { source in
                                { try source.nextBlock() }
                            }, after: nil)
                        _ = try merge.forEach(countMax: .max) { _, _, _ in }
                        throw MapBroken()
                    }
                }
                refused += 1
            }
        }
        #expect(refused > 100)
        try await index.build(definition)
        #expect(try index.findings(definition) == [])
    }

    @Test func `are taken out as they are used, and what is left is still to do`()
        async throws
    {
        let (index, definition) = try await mapped()
        var left: [Int] = []
        var isDone = false
        while !isDone {
            let slot = try index.plan(definition)?.slot ?? 0
            isDone = try await index.build(definition, stepsMax: 1)
            let count = try index.store.read("test") { snapshot in
                try snapshot.table(named: "view/test/\(slot)/side").map {
                    try SortedRunTable($0).sources().count
                } ?? 0
            }
            left.append(count)
        }
        #expect(left.last == 0 && left == left.sorted(by: >))
        #expect(try index.findings(definition) == [])
    }
}
