import SettleDocuments
@testable import SettleIndexing
import SettlePrimitives
import SettleStorage
import Synchronization
import Testing
import TestSupport

/// What is looked at to answer, counted by a reduce function.
@Suite(.serialized) struct `Tree cost` {
    /// Counts the rows and the partials that a reduce function was given.
    private final class Counts: Sendable {
        private let seen = Lock((rows: 0, partials: 0))

        var reducer: IndexReducer {
            .custom { [self] keys, values, rereduce in
                seen.withLock { seen in
                    if rereduce { seen.partials += values.count } else { seen.rows += keys.count }
                }
                guard rereduce else { return .integer(Int64(values.count)) }
                return .integer(values.reduce(0) { $0 + ($1?.integerValue ?? 0) })
            }
        }

        func take() -> (rows: Int, partials: Int) {
            seen.withLock { seen in
                defer { seen = (0, 0) }
                return seen
            }
        }
    }

    private func entries(_ count: Int) throws -> [TreeEntry] {
        let head = try PackedValue(.null).bytes
        let tail = try PackedValue(.integer(1)).bytes
        return (0..<count).map { number in
            TreeEntry(key: Array("\(1_000_000 + number)".utf8), head: head, tail: tail)
        }
    }

    private static let rule = ChunkBoundaryRule(leafLength: 200, childCount: 4, boundaryLength: 500)

    private func reduce(
        _ scratch: ScratchTree, from lower: [UInt8]?, to upper: [UInt8]?
    ) throws -> (count: Int, value: JSONValue) {
        try scratch.read { tree in
            var reduction = Reduction(try #require(scratch.reducer))
            let count = try tree.reduce(from: lower, to: upper, into: &reduction)
            return (count, try reduction.result())
        }
    }

    @Test func `is counted as leaves, entries and summaries when somebody asks`() async throws {
        var random = SeededGenerator()
        for storesLevels in [true, false] {
            let scratch = try ScratchTree(Self.rule, storesLevels: storesLevels)
            let entries = try entries(2_000)
            try await scratch.append(entries)
            try scratch.read { tree in
                var leaves = 0
                try tree.table.forEach(from: tree.start(of: 0), to: tree.end(of: 0)) { _, _ in
                    leaves += 1
                    return true
                }
                for isDescending in [false, true] {
                    let counter = TreeReadCounter()
                    var counted = tree
                    counted.counter = counter
                    try counted.forEach(from: nil, to: nil, isDescending: isDescending) { _, _, _ in
                        true
                    }
                    #expect(counter.entryCount == entries.count && counter.leafCount == leaves)
                    #expect(counter.summaryCount == 0)
                }
                for _ in 0..<50 {
                    let start = Int.random(in: 0..<entries.count, using: &random)
                    let end = Int.random(in: start..<entries.count, using: &random)
                    let (lower, upper) = (entries[start].key, entries[end].key)
                    let counter = TreeReadCounter()
                    var counted = tree
                    counted.counter = counter
                    #expect(try counted.count(from: lower, to: upper) == end - start, "\(random)")
                    // The ends of a range are in two leaves, or in one.
                    #expect(counter.leafCount <= 2, "\(random)")
                    #expect(try tree.count(from: lower, to: upper) == end - start, "\(random)")
                    var walked = 0
                    let walk = TreeReadCounter()
                    counted.counter = walk
                    _ = try counted.forEachRanked(from: lower, to: upper) { _, _, _ in
                        walked += 1
                        return true
                    }
                    #expect(walked == end - start && walk.entryCount >= walked, "\(random)")
                    if walked == 0 { continue }
                    #expect(walk.leafCount >= 1 && walk.leafCount <= leaves + 1, "\(random)")
                }
            }
        }
    }

    @Test func `the whole table is one node`() async throws {
        let counts = Counts()
        let scratch = try ScratchTree(Self.rule, reducer: counts.reducer)
        try await scratch.append(try entries(3000))
        _ = counts.take()
        let whole = try reduce(scratch, from: nil, to: nil)
        #expect(whole.count == 3000)
        #expect(whole.value == .integer(3000))
        let seen = counts.take()
        #expect(seen.rows == 0)
        #expect(seen.partials <= 1)
    }

    @Test func `a part of the table is as many nodes as its logarithm says`() async throws {
        var random = SeededGenerator(seed: 11)
        let counts = Counts()
        var means: [Double] = []
        for size in [500, 5000] {
            let scratch = try ScratchTree(Self.rule, reducer: counts.reducer)
            let entries = try entries(size)
            try await scratch.append(entries)
            var total = 0
            for _ in 0..<100 {
                let start = Int.random(in: 0..<size - 1, using: &random)
                let end = Int.random(in: start + 1..<size, using: &random)
                _ = counts.take()
                let part = try reduce(scratch, from: entries[start].key, to: entries[end].key)
                #expect(part.count == end - start)
                #expect(part.value == .integer(Int64(end - start)))
                let seen = counts.take()
                // No more rows than the two leaves at the ends can have.
                #expect(seen.rows < 200, "\(start)..<\(end)")
                total += seen.rows + seen.partials
            }
            means.append(Double(total) / 100)
        }
        // Ten times the rows is about two levels more, each of some children at both ends.
        #expect(means[1] < means[0] + 40, "\(means)")
        #expect(means[1] < 150, "\(means)")
    }

    @Test func `a change makes one leaf and one inner node a level anew`() async throws {
        let counts = Counts()
        let scratch = try ScratchTree(Self.rule, reducer: counts.reducer)
        let entries = try entries(3000)
        try await scratch.append(entries)
        var worst = 0
        for index in stride(from: 0, to: 3000, by: 300) {
            _ = counts.take()
            try await scratch.apply([neighbour(of: entries[index])].insertions)
            let seen = counts.take()
            worst = max(worst, seen.rows + seen.partials)
        }
        #expect(worst < 250)
        // All of them at once: no inner node is made anew more than once.
        _ = counts.take()
        try await scratch.apply(
            stride(from: 1, to: 3000, by: 3).map { neighbour(of: entries[$0]) }.insertions)
        let seen = counts.take()
        #expect(seen.rows <= 5000)
        let nodes = try scratch.rows().count
        #expect(seen.partials < 2 * nodes)
    }

    /// An entry that comes right after that one.
    private func neighbour(of entry: TreeEntry) -> TreeEntry {
        TreeEntry(key: entry.key + [0x61], head: entry.head, tail: entry.tail)
    }

    @Test func `a change to what is there already writes nothing`() async throws {
        let counts = Counts()
        let scratch = try ScratchTree(Self.rule, reducer: counts.reducer)
        let entries = try entries(1000)
        try await scratch.append(entries)
        let rows = try scratch.rows()
        _ = counts.take()
        let absent = TreeEdit(key: entries[500].key + [0x61], entry: nil)
        let edits = (entries.prefix(500).map { $0 }.insertions + [absent])
        #expect(try await scratch.apply(edits) == 0)
        #expect(counts.take().partials == 0)
        #expect(try scratch.rows() == rows)
    }

    @Test func `a change that keeps the reduction of its leaf stops there`() async throws {
        let counts = Counts()
        let scratch = try ScratchTree(Self.rule, reducer: counts.reducer)
        var entries = try entries(1000)
        try await scratch.append(entries)
        entries[500].tail = try PackedValue(.integer(7)).bytes
        _ = counts.take()
        try await scratch.apply([entries[500]].insertions)
        #expect(counts.take().partials == 0)
        let fresh = try ScratchTree(Self.rule, reducer: counts.reducer)
        try await fresh.append(entries)
        #expect(try scratch.rows() == fresh.rows())
    }
}
