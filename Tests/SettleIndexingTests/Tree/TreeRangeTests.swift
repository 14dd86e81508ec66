import SettleDocuments
import SettleIndexing
import SettleStorage
import Testing
import TestSupport

/// Walks, reductions, counts, and ranks against a sorted array.
@Suite(.serialized) struct `Tree ranges` {
    @Test(arguments: 0..<16)
    func `ranges of a changing tree agree with a sorted array`(round: Int) async throws {
        var source = RandomEntries(random: SeededGenerator())
        let seed = "\(source.random), round \(round)"
        let rules = [
            ScratchTree.small,
            ChunkBoundaryRule(leafLength: 300, childCount: 3, boundaryLength: 500),
            .standard,
        ]
        let scratch = try ScratchTree(rules[round % 3])
        var entries: [[UInt8]: TreeEntry] = [:]
        for step in 0..<4 {
            var edits: [[UInt8]: TreeEdit] = [:]
            for entry in try source.entries([200, 30, 5, 60][step]) {
                edits[entry.key] = TreeEdit(key: entry.key, entry: (entry.head, entry.tail))
            }
            for key in entries.keys.shuffled(using: &source.random).prefix(step * 15) {
                edits[key] = TreeEdit(key: key, entry: nil)
            }
            let before = entries.count
            for edit in edits.values {
                entries[edit.key] = edit.entry.map {
                    TreeEntry(key: edit.key, head: $0.head, tail: $0.tail)
                }
            }
            let batch = edits.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            #expect(try await scratch.apply(batch) == entries.count - before, "\(seed)")
            #expect(try scratch.findings() == [], "\(seed)")
            let sorted = entries.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            try compare(scratch, sorted, &source, seed)
        }
    }

    private func compare(
        _ scratch: ScratchTree, _ sorted: [TreeEntry], _ source: inout RandomEntries,
        _ seed: String
    ) throws {
        for index in 0..<30 {
            let lower = bound(of: sorted, &source)
            let upper = bound(of: sorted, &source)
            let inside = sorted.filter { entry in
                (lower.map { !entry.key.lexicographicallyPrecedes($0) } ?? true)
                    && (upper.map { entry.key.lexicographicallyPrecedes($0) } ?? true)
            }
            let limit = index % 5 == 0 ? Int.random(in: 0...5, using: &source.random) : Int.max
            try scratch.read { tree in
                for isDescending in [false, true] {
                    let expected = isDescending ? inside.reversed() : inside
                    #expect(
                        try walk(tree, lower, upper, isDescending, limit)
                            == Array(expected.prefix(max(1, limit))), "\(seed)")
                }
                try checkRanked(tree, sorted, inside, from: lower, to: upper, limit, seed)
                #expect(try tree.count(from: lower, to: upper) == inside.count, "\(seed)")
                var reduction = Reduction(.builtIn(.sum))
                let count = try tree.reduce(from: lower, to: upper, into: &reduction)
                #expect(count == inside.count, "\(seed)")
                #expect(try reduction.sum == .integer(sum(of: inside)), "\(seed)")
                if let key = lower {
                    let rank = sorted.count { $0.key.lexicographicallyPrecedes(key) }
                    #expect(try tree.rank(of: key) == rank, "\(seed)")
                    #expect(
                        try tree.entry(for: key) == sorted.first { $0.key == key }, "\(seed)")
                }
                let rank = Int.random(in: 0...sorted.count + 1, using: &source.random)
                let ranked = rank < sorted.count ? sorted[rank].key : nil
                #expect(try tree.key(atRank: rank) == ranked, "\(seed)")
                #expect(try tree.lastKey() == sorted.last?.key, "\(seed)")
                #expect(try tree.entryCount == sorted.count, "\(seed)")
            }
        }
    }

    /// Nothing, a key that is there, one that is perhaps not, or the start of one.
    private func bound(of sorted: [TreeEntry], _ source: inout RandomEntries) -> [UInt8]? {
        switch Int.random(in: 0..<8, using: &source.random) {
        case 0, 1: nil
        case 2: source.key()
        case 3: [0xFF]
        case 4: []
        case 5:
            sorted.randomElement(using: &source.random).map { entry in
                Array(entry.key.prefix(Int.random(in: 0...600, using: &source.random)))
            }
        default: sorted.randomElement(using: &source.random)?.key
        }
    }

    private func walk(
        _ tree: SummaryTree, _ lower: [UInt8]?, _ upper: [UInt8]?, _ isDescending: Bool,
        _ limit: Int
    ) throws -> [TreeEntry] {
        var found: [TreeEntry] = []
        try tree.forEach(from: lower, to: upper, isDescending: isDescending) { key, head, tail in
            found.append(
                TreeEntry(key: bytes(key), head: bytes(head), tail: bytes(tail)))
            return found.count < limit
        }
        return found
    }

    /// A walk that tells where it begins hands on the same entries, and counts as the others do.
    private func checkRanked(
        _ tree: SummaryTree, _ sorted: [TreeEntry], _ inside: [TreeEntry], from lower: [UInt8]?,
        to upper: [UInt8]?, _ limit: Int, _ seed: String
    ) throws {
        var found: [TreeEntry] = []
        let (rank, entryCount) = try tree.forEachRanked(from: lower, to: upper) { key, head, tail in
            found.append(TreeEntry(key: bytes(key), head: bytes(head), tail: bytes(tail)))
            return found.count < limit
        }
        #expect(found == Array(inside.prefix(max(1, limit))), "\(seed)")
        let below = sorted.count { entry in
            lower.map { entry.key.lexicographicallyPrecedes($0) } ?? false
        }
        #expect(rank == below, "\(seed)")
        #expect(entryCount == sorted.count, "\(seed)")
    }

    @Test(arguments: [true, false])
    func `an empty tree has no rank above nothing`(storesLevels: Bool) async throws {
        let scratch = try ScratchTree(ScratchTree.small, storesLevels: storesLevels)
        try await scratch.apply([])
        for key in [nil, [3, 0], [0xFF]] as [[UInt8]?] {
            let found = try scratch.read { tree in
                try tree.forEachRanked(from: key, to: nil) { _, _, _ in
                    Issue.record("There is no entry.")
                    return false
                }
            }
            #expect(found == (0, 0))
        }
    }

    @Test func `ranks of a tree without levels, and of one that is still filled, are right`()
        async throws
    {
        var source = RandomEntries(random: SeededGenerator())
        let seed = "\(source.random)"
        let entries = try source.entries(300)
        for storesLevels in [true, false] {
            let scratch = try ScratchTree(ScratchTree.small, storesLevels: storesLevels)
            try await scratch.write { tree in
                let appender = tree.appender()
                for entry in entries {
                    try appender.append(
                        key: entry.key.span, head: entry.head.span, tail: entry.tail.span)
                }
                try appender.flush()
            }
            for isFinished in [false, true] {
                try scratch.read { tree in
                    let stored = try walk(tree, nil, nil, false, .max)
                    for lower in [nil] + stored.map(\.key) {
                        let inside = stored.filter { entry in
                            lower.map { !entry.key.lexicographicallyPrecedes($0) } ?? true
                        }
                        try checkRanked(tree, stored, inside, from: lower, to: nil, 3, seed)
                    }
                }
                if !isFinished { try await scratch.write { try $0.finishAppending() } }
            }
            #expect(try scratch.read { try walk($0, nil, nil, false, .max) } == entries, "\(seed)")
        }
    }

    private func bytes(_ span: Span<UInt8>) -> [UInt8] {
        span.indices.map { span[$0] }
    }

    private func sum(of entries: [TreeEntry]) throws -> Int64 {
        try entries.reduce(0) { sum, entry in
            guard !entry.tail.isEmpty else { return sum }
            let number = try #require(try PackedValue(stored: entry.tail).value().integerValue)
            return sum + number
        }
    }

    @Test func `a walk of a transaction may write to other tables`() async throws {
        var source = RandomEntries(random: SeededGenerator())
        let scratch = try ScratchTree(ScratchTree.small)
        let entries = try source.entries(50)
        try await scratch.append(entries)
        let count = try await scratch.store.write { transaction in
            let tree = scratch.tree(try transaction.createTable(named: "tree"))
            let other = try transaction.createTable(named: "other")
            var count = 0
            try tree.forEach(from: nil, to: nil, isDescending: false) { _, _, tail in
                count += 1
                try other.set([UInt8(count)], for: [UInt8(count)])
                return true
            }
            return count
        }
        #expect(count == 50)
    }

    @Test func `what the body of a walk throws comes out`() async throws {
        struct Stop: Error {}
        var source = RandomEntries(random: SeededGenerator())
        let scratch = try ScratchTree(ScratchTree.small)
        try await scratch.append(try source.entries(50))
        for isDescending in [false, true] {
            #expect(throws: Stop.self) {
                try scratch.read { tree in
                    try tree.forEach(from: nil, to: nil, isDescending: isDescending) { _, _, _ in
                        throw Stop()
                    }
                }
            }
        }
    }
}

extension Reduction {
    /// The sum so far; 0 for nothing.
    fileprivate var sum: JSONValue {
        get throws {
            var copy = self
            return isEmpty ? .integer(0) : try copy.result()
        }
    }
}
