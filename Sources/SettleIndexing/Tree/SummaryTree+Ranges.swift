import SettlePrimitives
import SettleStorage

extension SummaryTree {
    /// Reduces the entries whose keys are at least `lower` and below `upper`.
    ///
    /// Leaves and inner nodes that lie in the range as a whole are taken from what is stored; the entries at
    /// its two ends one by one. All come in the order of their keys.
    ///
    /// - Parameters:
    ///   - lower: The first key that counts; nil for the first of the table.
    ///   - upper: The first key that no longer counts; nil for none.
    ///   - reduction: What is added to; made with the reducer that the table has.
    /// - Returns: The number of entries.
    /// - Throws: ``IndexError/corrupted(place:)``, what the table throws, what `reduction` throws.
    /// - Complexity: O(log n): nodes of about half an inner node a level and end, and half a leaf an end. The
    ///   whole table is one node.
    package func reduce(
        from lower: [UInt8]?, to upper: [UInt8]?, into reduction: inout Reduction
    ) throws -> Int {
        var count = 0
        try fold(
            from: lower, to: upper, needsReductions: true,
            node: { entryCount, partial in
                count &+= entryCount
                try reduction.merge(partial)
            },
            entry: { key, head, tail in
                count &+= 1
                try reduction.add(key: key, head: head, tail: tail)
            })
        return count
    }

    /// How many keys are at least `lower` and below `upper`.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, or what the table throws.
    /// - Complexity: As ``reduce(from:to:into:)``.
    package func count(from lower: [UInt8]?, to upper: [UInt8]?) throws -> Int {
        var count = 0
        try fold(
            from: lower, to: upper, needsReductions: false,
            node: { entryCount, _ in count &+= entryCount },
            entry: { _, _, _ in count &+= 1 })
        return count
    }

    /// How many keys are below that one.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, or what the table throws.
    /// - Complexity: As ``reduce(from:to:into:)``.
    package func rank(of key: [UInt8]) throws -> Int {
        try count(from: nil, to: key)
    }

    /// The key that so many others are below.
    ///
    /// - Parameter rank: Not negative.
    /// - Returns: The key, or nil when there are not as many.
    /// - Throws: ``IndexError/corrupted(place:)``, or what the table throws.
    /// - Complexity: O(log n).
    package func key(atRank rank: Int) throws -> [UInt8]? {
        precondition(rank >= 0, "A rank counts keys and is not negative.")
        guard var level = try topLevel() else { return nil }
        var rest = rank
        var found: [UInt8]?
        var isBelow = true
        /// The node before the one that is gone down into.
        var boundary: [UInt8]?
        while isBelow {
            isBelow = false
            var previous = boundary
            try table.forEachInPlace(
                from: edge(level, after: boundary), to: end(of: level)
            ) { rowKey, bytes in
                guard let header = NodeHeader(bytes) else { throw damage }
                if rest >= header.entryCount {
                    counter?.noteSummary()
                    rest -= header.entryCount
                    previous = rowKey.rest(from: 1)
                    return true
                }
                if level == 0 {
                    found = try key(atRank: rest, of: bytes)
                } else {
                    isBelow = true
                }
                return false
            }
            boundary = previous
            level -= 1
        }
        return found
    }

    private func key(atRank rank: Int, of bytes: Span<UInt8>) throws -> [UInt8]? {
        var reader = LeafReader(place: place)
        try reader.begin(bytes)
        let entryCount = reader.remaining
        defer { counter?.noteLeaf(entryCount: entryCount - reader.remaining) }
        var rest = rank
        while try reader.next(in: bytes) {
            if rest == 0 { return reader.key.bytes }
            rest -= 1
        }
        return nil
    }

    /// Goes through a range in the largest pieces there are, in the order of the keys.
    ///
    /// `node` is called with the number of entries and the reduction of a leaf or inner node inside, `entry`
    /// with an entry of a leaf that is only partly inside. With `needsReductions`, nodes that store no
    /// reduction are gone down into.
    private func fold(
        from lower: [UInt8]?, to upper: [UInt8]?, needsReductions: Bool,
        node: (_ entryCount: Int, _ partial: Span<UInt8>) throws -> Void,
        entry: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Void
    ) throws {
        guard let range = TreeRange(from: lower, to: upper), let top = try topLevel() else {
            return
        }
        var reader = LeafReader(place: place)
        try fold(
            top, range, after: nil, to: end(of: top), needsReductions: needsReductions, &reader,
            node: node, entry: entry)
    }

    /// The part of ``fold(from:to:needsReductions:node:entry:)`` within one node of the level above.
    ///
    /// The nodes gone through are those after `boundary`, or, when the range has a lower end, from
    /// the first on that is not below it; up to `last`.
    private func fold(
        _ level: Int, _ range: TreeRange, after boundary: [UInt8]?, to last: TableEdge,
        needsReductions: Bool, _ reader: inout LeafReader,
        node: (_ entryCount: Int, _ partial: Span<UInt8>) throws -> Void,
        entry: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Void
    ) throws {
        let upperBoundary = range.upper.map { KeyBytes.prefix($0, rule.boundaryLength) }
        let start = range.lower.map { edge(level, atOrAfter: $0) } ?? edge(level, after: boundary)
        // The first node has keys on both sides of the lower end; all others lie above it.
        var lower = range.lower
        var previous = ByteBuffer(capacity: 64)
        if let boundary { previous.append(boundary.span) }
        try table.forEachInPlace(from: start, to: last) { rowKey, bytes in
            guard let header = NodeHeader(bytes) else { throw damage }
            let holdsUpper = holds(rowKey, upperBoundary)
            if lower == nil, !holdsUpper, header.reduction != nil || !needsReductions {
                counter?.noteSummary()
                try node(header.entryCount, bytes.extracting(header.reduction ?? 0..<0))
            } else if level == 0 {
                try forEachEntry(
                    of: bytes, with: &reader, from: lower, to: holdsUpper ? range.upper : nil
                ) { key, head, tail in
                    try entry(key, head, tail)
                    return true
                }
            } else if let inside = TreeRange(from: lower, to: holdsUpper ? range.upper : nil) {
                try fold(
                    level - 1, inside, after: previous.count == 0 ? nil : previous.bytes,
                    to: .including(self.rowKey(level - 1, rowKey.rest(from: 1))),
                    needsReductions: needsReductions, &reader, node: node, entry: entry)
            }
            lower = nil
            previous.cut(to: 0)
            previous.append(rowKey.extracting(1..<rowKey.count))
            return !holdsUpper
        }
    }
}
