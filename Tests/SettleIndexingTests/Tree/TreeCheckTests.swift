import SettleIndexing
import SettleStorage
import Testing
import TestSupport

/// Each kind of damage is found by the check.
@Suite(.serialized) struct `Tree check` {
    /// One way to damage a table; false when its rows are not made for it.
    struct Fault: Sendable, CustomStringConvertible {
        let description: String
        let inflict: @Sendable (inout [ScratchTree.Row]) -> Bool
    }

    /// Changes the first node of a level.
    private static func changing(
        _ description: String, level: UInt8,
        _ change: @escaping @Sendable (inout ScratchTree.Row) -> Void
    ) -> Fault {
        Fault(description: description) { rows in
            guard let place = rows.firstIndex(where: { $0.key[0] == level }) else { return false }
            let before = rows[place]
            change(&rows[place])
            return rows[place] != before
        }
    }

    static let faults: [Fault] = [
        changing("a leaf without bytes", level: 0) { $0.value = [] },
        changing("a leaf cut short", level: 0) { $0.value.removeLast() },
        changing("a byte after a leaf", level: 0) { $0.value.append(0) },
        changing("one entry more than there are", level: 0) { $0.value[0] += 1 },
        changing("one entry less than there are", level: 0) { $0.value[0] -= 1 },
        changing("a wrong reduction of a leaf", level: 0) { row in
            row.value[Int(row.value[1])] ^= 1
        },
        changing("a wrong number of entries in a summary", level: 1) { $0.value[0] += 1 },
        changing("a wrong reduction in a summary", level: 1) { row in
            row.value[Int(row.value[1])] ^= 1
        },
        changing("a wrong reduction at the top", level: 2) { row in
            row.value[Int(row.value[1])] ^= 1
        },
        changing("a summary without bytes", level: 1) { $0.value = [] },
        changing("a byte after a summary", level: 1) { $0.value.append(0) },
        changing("a summary without a reduction", level: 1) { $0.value = [$0.value[0], 0] },
        changing("a last byte of an entry changed", level: 0) { row in
            row.value[row.value.count - 1] ^= 1
        },
        Fault(description: "a leaf is missing") { rows in
            rows.removeFirst()
            return true
        },
        Fault(description: "a summary is missing") { rows in
            guard let index = rows.firstIndex(where: { $0.key[0] == 1 }) else { return false }
            rows.remove(at: index)
            return true
        },
        Fault(description: "the last leaf is missing") { rows in
            guard let index = rows.firstIndex(where: { $0.key == [0, 0xFF] }) else { return false }
            rows.remove(at: index)
            return true
        },
        Fault(description: "the top is missing") { rows in
            rows.removeLast()
            return true
        },
        Fault(description: "a level too many") { rows in
            guard let top = rows.last else { return false }
            rows.append(ScratchTree.Row(key: [top.key[0] + 1, 0xFF], value: top.value))
            return true
        },
        Fault(description: "a summary too many") { rows in
            guard let last = rows.first(where: { $0.key == [1, 0xFF] }) else { return false }
            rows.append(ScratchTree.Row(key: [1, 2, 3], value: last.value))
            return true
        },
        Fault(description: "a leaf under another boundary") { rows in
            let leaf = rows.removeFirst()
            rows.append(ScratchTree.Row(key: leaf.key + [1], value: leaf.value))
            return true
        },
        Fault(description: "two leaves with their contents exchanged") { rows in
            let first = rows[0].value
            rows[0].value = rows[1].value
            rows[1].value = first
            return true
        },
        Fault(description: "a row without a boundary") { rows in
            rows.append(ScratchTree.Row(key: [0], value: rows[0].value))
            return true
        },
    ]

    @Test(arguments: faults)
    func `a fault is reported`(fault: Fault) async throws {
        var source = RandomEntries(random: SeededGenerator(seed: 5))
        let scratch = try ScratchTree(ScratchTree.small)
        try await scratch.append(try source.entries(200))
        #expect(try scratch.findings() == [])
        var rows = try scratch.rows()
        try #require(fault.inflict(&rows))
        let damaged = rows
        try await scratch.writeTable("damaged") { table in
            for row in damaged { try table.set(row.value, for: row.key) }
        }
        let found = try scratch.findings("damaged")
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { $0.hasSuffix(".") })
    }

    @Test func `leaves cut at other places are reported`() async throws {
        var source = RandomEntries(random: SeededGenerator(seed: 6))
        let entries = try source.entries(200)
        let other = try ScratchTree(
            ChunkBoundaryRule(leafLength: 90, childCount: 3, boundaryLength: 5))
        try await other.append(entries)
        let rows = try other.rows()
        let scratch = try ScratchTree(ScratchTree.small)
        try await scratch.writeTable { table in
            for row in rows { try table.set(row.value, for: row.key) }
        }
        let found = try scratch.findings()
        #expect(found.contains { $0.contains("ought to end it") })
        #expect(found.contains { $0.contains("inner node is missing") })
    }

    @Test func `reductions of another function are told apart only when asked`() async throws {
        var source = RandomEntries(random: SeededGenerator(seed: 6))
        let entries = try source.entries(200)
        let other = try ScratchTree(ScratchTree.small, reducer: .builtIn(.count))
        try await other.append(entries)
        let rows = try other.rows()
        let scratch = try ScratchTree(ScratchTree.small, reducer: .builtIn(.sum))
        try await scratch.writeTable { table in
            for row in rows { try table.set(row.value, for: row.key) }
        }
        #expect(try !scratch.findings().isEmpty)
        #expect(try scratch.findings(checksReductions: false) == [])
    }

    @Test func `the check says how many entries it has seen`() async throws {
        var source = RandomEntries(random: SeededGenerator())
        let scratch = try ScratchTree(ScratchTree.small)
        try await scratch.append(try source.entries(200))
        var seen = 0
        try scratch.read { tree in
            try tree.check(checksReductions: true, report: { _ in }, advance: { seen += $0 })
        }
        #expect(seen == 200)
    }
}
