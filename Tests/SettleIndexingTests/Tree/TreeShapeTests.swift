import SettleIndexing
import SettleStorage
import Testing
import TestSupport

/// The stored bytes are a function of the entries, whatever way led to them.
@Suite(.serialized) struct `Tree shape` {
    private static let rules = [
        ScratchTree.small,
        ChunkBoundaryRule(leafLength: 200, childCount: 3, boundaryLength: 500),
        ChunkBoundaryRule(leafLength: 1, childCount: 2, boundaryLength: 500),
        ChunkBoundaryRule(leafLength: 1 << 20, childCount: 2, boundaryLength: 500),
        .standard,
    ]

    @Test(arguments: 0..<20)
    func `the same entries make the same bytes, in whatever order they come`(
        round: Int
    ) async throws {
        var source = RandomEntries(random: SeededGenerator())
        let seed = "\(source.random), round \(round)"
        let rule = Self.rules[round % Self.rules.count]
        let scratch = try ScratchTree(rule, reducer: round % 7 == 0 ? nil : .builtIn(.sum))
        let count = [0, 1, 2, 10, 100, 400][round % 6]
        let entries = try source.entries(count)

        try await scratch.append(entries, to: "whole")
        try await scratch.append(
            entries, to: "parts", batch: Int.random(in: 1...max(1, count), using: &source.random))
        try await scratch.apply(entries.insertions, to: "once")
        let detours = try source.entries(count / 2)
        try await shuffle(entries, detours, into: "edits", of: scratch, &source.random)

        let expected = try scratch.rows("whole")
        #expect(expected.isEmpty == entries.isEmpty, "\(seed)")
        #expect(try scratch.rows("parts") == expected, "\(seed)")
        #expect(try scratch.rows("once") == expected, "\(seed)")
        #expect(try scratch.rows("edits") == expected, "\(seed)")
        #expect(try scratch.findings("whole") == [], "\(seed)")
        if !entries.isEmpty {
            #expect(try scratch.read("edits") { try $0.entryCount } == count, "\(seed)")
        }
    }

    /// Puts the entries in, in batches and any order, with others that come and go meanwhile.
    private func shuffle(
        _ entries: [TreeEntry], _ detours: [TreeEntry], into name: String,
        of scratch: ScratchTree, _ random: inout SeededGenerator
    ) async throws {
        let kept = Set(entries.map(\.key))
        var isThere: Set<[UInt8]> = []
        // Others first, also under keys that are to hold something else in the end.
        var steps: [[TreeEdit]] = []
        let others = detours.map { TreeEntry(key: $0.key, head: $0.head, tail: $0.tail) }
        steps.append(others.insertions)
        isThere.formUnion(others.map(\.key))
        var rest = entries.shuffled(using: &random)
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Int.random(in: 1...60, using: &random)))
            rest.removeFirst(batch.count)
            steps.append(batch.insertions)
            if Bool.random(using: &random) {
                let removed = Array(batch.shuffled(using: &random).prefix(batch.count / 2))
                steps.append(removed.removals)
                rest.append(contentsOf: removed)
            }
        }
        steps.append(others.filter { !kept.contains($0.key) }.removals)
        // Removing what is not there changes nothing.
        steps.append([TreeEdit(key: [3, 3, 3], entry: nil)])
        let ordered = steps
        try await scratch.write(name) { tree in
            for step in ordered { _ = try tree.apply(step) }
        }
    }

    @Test func `removing everything leaves an empty table`() async throws {
        var source = RandomEntries(random: SeededGenerator())
        let seed = "\(source.random)"
        for rule in Self.rules {
            let scratch = try ScratchTree(rule)
            let entries = try source.entries(200)
            #expect(try await scratch.apply(entries.insertions) == 200, "\(seed)")
            #expect(try await scratch.apply(entries.removals) == -200, "\(seed)")
            #expect(try scratch.rows() == [], "\(seed)")
            #expect(try scratch.findings() == [], "\(seed)")
            #expect(try scratch.read { try $0.entryCount } == 0)
            #expect(try scratch.read { try $0.lastKey() } == nil)
            #expect(try scratch.read { try $0.key(atRank: 0) } == nil)
        }
    }

    @Test func `removing the entries one at a time keeps the shape at every step`() async throws {
        var source = RandomEntries(random: SeededGenerator())
        let seed = "\(source.random)"
        let scratch = try ScratchTree(ScratchTree.small)
        let entries = try source.entries(120)
        // From the end, so that the last leaf loses its entries again and again; then anywhere.
        let anywhere = entries.prefix(60).shuffled(using: &source.random)
        let order = entries.suffix(60).reversed() + anywhere
        try await scratch.store.write { transaction in
            let table = try transaction.createTable(named: "tree")
            let fresh = try transaction.createTable(named: "fresh")
            let tree = scratch.tree(table)
            _ = try tree.apply(entries.insertions)
            for (index, entry) in order.enumerated() {
                #expect(try tree.apply([entry].removals) == -1, "\(seed)")
                let rest = Array(order[(index + 1)...])
                try fresh.removeAll()
                _ = try scratch.tree(fresh).apply(rest.insertions)
                #expect(
                    try ScratchTree.rows(of: table) == ScratchTree.rows(of: fresh),
                    "\(seed), \(rest.count) left")
            }
        }
    }

    @Test func `small numbers make several levels, each stored under its byte`() async throws {
        var source = RandomEntries(random: SeededGenerator(seed: 1))
        let scratch = try ScratchTree(ScratchTree.small)
        try await scratch.append(try source.entries(400))
        let levels = Set(try scratch.rows().map { $0.key[0] })
        #expect(levels.count >= 4)
        #expect(levels.sorted() == Array(0..<UInt8(levels.count)))
        for level in levels {
            let nodes = try scratch.rows().filter { $0.key[0] == level }
            #expect(nodes.last?.key == [level, 0xFF])
            #expect(nodes.count > 1 || level == levels.max())
        }
    }

    @Test func `a table without levels stores leaves alone`() async throws {
        var source = RandomEntries(random: SeededGenerator())
        let scratch = try ScratchTree(ScratchTree.small, reducer: nil, storesLevels: false)
        let entries = try source.entries(100)
        try await scratch.apply(entries.insertions)
        #expect(try scratch.rows().allSatisfy { $0.key[0] == 0 })
        #expect(try scratch.rows().count > 10)
        #expect(try scratch.read { try $0.entryCount } == 100)
        #expect(try scratch.read { try $0.lastKey() } == entries.last?.key)
        #expect(try scratch.findings() == [])
    }

    @Test func `entries with the same boundary are never parted`() async throws {
        let start = [UInt8](repeating: 9, count: 500)
        let entries = (0..<UInt8(50)).map {
            TreeEntry(key: start + [$0, 1], head: [1], tail: [UInt8](repeating: 0, count: 100))
        }
        let scratch = try ScratchTree(
            ChunkBoundaryRule(leafLength: 1, childCount: 2, boundaryLength: 500), reducer: nil)
        try await scratch.apply(entries.insertions)
        #expect(try scratch.rows().map(\.key) == [[0, 0xFF]])
        try await scratch.apply([TreeEntry(key: [9, 9, 10], head: [], tail: [])].insertions)
        #expect(
            try scratch.rows().map(\.key).filter { $0[0] == 0 } == [[0] + start, [0, 0xFF]])
    }

    @Test func `an appender goes on after a flush`() async throws {
        var source = RandomEntries(random: SeededGenerator())
        let seed = "\(source.random)"
        let entries = try source.entries(150)
        let scratch = try ScratchTree(ScratchTree.small)
        try await scratch.write { tree in
            let appender = tree.appender()
            for (index, entry) in entries.enumerated() {
                try appender.append(
                    key: entry.key.span, head: entry.head.span, tail: entry.tail.span)
                if index % 7 == 0 { try appender.flush() }
            }
            try appender.flush()
            try appender.flush()
            try tree.finishAppending()
        }
        try await scratch.append(entries, to: "whole")
        #expect(try scratch.rows() == scratch.rows("whole"), "\(seed)")
    }

    @Test func `an entry that is not above all others is refused by an appender`() async throws {
        let scratch = try ScratchTree(reducer: nil)
        for second: [UInt8] in [[5], [4, 9], [], [0xFF]] {
            await #expect(throws: IndexError.corrupted(place: "the test")) {
                try await scratch.write { tree in
                    let appender = tree.appender()
                    for key in [[5], second] {
                        let nothing: [UInt8] = []
                        try appender.append(
                            key: key.span, head: nothing.span, tail: nothing.span)
                    }
                }
            }
        }
    }
}
