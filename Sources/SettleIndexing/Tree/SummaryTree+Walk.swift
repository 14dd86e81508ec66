import SettlePrimitives
import SettleStorage

extension SummaryTree {
    /// Walks the entries whose keys are at least `lower` and below `upper`.
    ///
    /// The table must not be changed meanwhile. The spans are good inside one call of `body`.
    ///
    /// - Parameters:
    ///   - lower: The first key that counts; nil for the first of the table.
    ///   - upper: The first key that no longer counts; nil for none.
    ///   - isDescending: True to walk from the end.
    ///   - body: Called with key, head, and tail; answers false to stop.
    /// - Throws: ``IndexError/corrupted(place:)``, what the table throws, what `body` throws.
    /// - Complexity: O(log n) to get there, then some tens of nanoseconds an entry. Descending, every
    ///   leaf is taken apart before its last entry is given out.
    package func forEach(
        from lower: [UInt8]?, to upper: [UInt8]?, isDescending: Bool,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws {
        guard let range = TreeRange(from: lower, to: upper) else { return }
        if isDescending {
            try forEachDescending(range, body)
        } else {
            try forEachAscending(range, body)
        }
    }

    /// Walks entries, ascending, and tells how many keys are below the first.
    ///
    /// As ``forEach(from:to:isDescending:_:)``, with ``rank(of:)`` of `lower` and ``entryCount`` for
    /// little more than the walk alone: the way down to the first entry passes all that has to be
    /// counted.
    ///
    /// - Parameters:
    ///   - lower: The first key that counts; nil for the first of the table.
    ///   - upper: The first key that no longer counts; nil for none.
    ///   - body: Called with key, head, and tail; answers false to stop.
    /// - Returns: How many keys are below `lower`, whether any is walked or not, and how many entries
    ///   the table has.
    /// - Throws: ``IndexError/corrupted(place:)``, what the table throws, what `body` throws.
    /// - Complexity: As ``reduce(from:to:into:)``, and some tens of nanoseconds an entry.
    package func forEachRanked(
        from lower: [UInt8]?, to upper: [UInt8]?,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws -> (rank: Int, entryCount: Int) {
        guard let range = TreeRange(from: lower, to: upper), storesLevels else {
            let rank = try lower.map { try self.rank(of: $0) } ?? 0
            try forEach(from: lower, to: upper, isDescending: false, body)
            return (rank, try entryCount)
        }
        guard let top = try top() else { return (0, 0) }
        guard let first = range.lower else {
            _ = try forEachAscending(range, from: start(of: 0), body)
            return (0, top.entryCount)
        }
        let highest = top.nodeCount == 1 ? top.level - 1 : top.level
        let innerNode = try innerNodeStart(of: first, from: highest)
        let inside = try forEachAscending(range, from: innerNode.start, body)
        return (innerNode.rank + inside, top.entryCount)
    }

    /// Where the inner node of leaves begins that holds a key, and how many entries lie before it.
    ///
    /// Goes down from the level above which there is nothing to choose from.
    private func innerNodeStart(
        of key: [UInt8], from highest: Int
    ) throws -> (start: TableEdge, rank: Int) {
        let boundary = KeyBytes.prefix(key, rule.boundaryLength)
        // That of the last node before the key on the level above.
        var previous = ByteBuffer(capacity: 64)
        var rank = 0
        // The leaves themselves are passed by the walk.
        for level in stride(from: highest, to: 0, by: -1) {
            let edge = edge(level, after: previous.count == 0 ? nil : previous.bytes)
            try table.forEachInPlace(from: edge, to: end(of: level)) { rowKey, bytes in
                if holds(rowKey, boundary) { return false }
                guard let header = NodeHeader(bytes) else { throw damage }
                counter?.noteSummary()
                rank &+= header.entryCount
                previous.cut(to: 0)
                previous.append(rowKey.extracting(1..<rowKey.count))
                return true
            }
        }
        return (edge(0, after: previous.count == 0 ? nil : previous.bytes), rank)
    }

    private func forEachAscending(
        _ range: TreeRange,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws {
        let start = range.lower.map { edge(0, atOrAfter: $0) } ?? start(of: 0)
        _ = try forEachAscending(range, from: start, body)
    }

    /// Walks the leaves from one on that is not above the range's lower end.
    ///
    /// Answers how many entries before the range were met.
    private func forEachAscending(
        _ range: TreeRange, from start: TableEdge,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws -> Int {
        var reader = LeafReader(place: place)
        var lower = range.lower
        var before = 0
        let lowerBoundary = lower.map { KeyBytes.prefix($0, rule.boundaryLength) }
        let upperBoundary = range.upper.map { KeyBytes.prefix($0, rule.boundaryLength) }
        try table.forEach(from: start, to: end(of: 0)) { rowKey, bytes in
            if lower != nil, !holds(rowKey, lowerBoundary) {
                guard let header = NodeHeader(bytes) else { throw damage }
                counter?.noteSummary()
                before &+= header.entryCount
                return true
            }
            let isLast = holds(rowKey, upperBoundary)
            var stopped = false
            before &+= try forEachEntry(
                of: bytes, with: &reader, from: lower, to: isLast ? range.upper : nil
            ) { key, head, tail in
                stopped = try !body(key, head, tail)
                return !stopped
            }
            lower = nil
            return !isLast && !stopped
        }
        return before
    }

    /// Whether the node with that row key is the last that can hold keys below one with that boundary.
    func holds(_ rowKey: Span<UInt8>, _ upperBoundary: [UInt8]?) -> Bool {
        guard let upperBoundary else { return false }
        return KeyBytes.compare(rowKey.extracting(1..<rowKey.count), upperBoundary.span) >= 0
    }

    /// Gives out the entries of one leaf that are at least `lower` and below `upper`.
    ///
    /// Answers how many entries are below `lower`.
    @discardableResult
    func forEachEntry(
        of bytes: Span<UInt8>, with reader: inout LeafReader, from lower: [UInt8]?,
        to upper: [UInt8]?,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws -> Int {
        try reader.begin(bytes)
        let entryCount = reader.remaining
        defer { counter?.noteLeaf(entryCount: entryCount - reader.remaining) }
        var before = 0
        if let lower {
            var isFound = false
            var seek = KeySeek(lower, after: reader)
            while !isFound, try reader.lookAhead(in: bytes) {
                isFound = seek.order(of: reader, in: bytes) >= 0
                if isFound { break }
                before &+= 1
                reader.passOver()
            }
            guard isFound else { return before }
            reader.takeKey(after: lower, in: bytes)
        } else {
            guard try reader.next(in: bytes) else { return 0 }
        }
        repeat {
            let key = reader.key.storage.span.extracting(0..<reader.key.count)
            if let upper, KeyBytes.compare(key, upper.span) >= 0 { break }
            guard
                try body(key, bytes.extracting(reader.head), bytes.extracting(reader.tail))
            else { break }
        } while try reader.next(in: bytes)
        return before
    }

    private func forEachDescending(
        _ range: TreeRange,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws {
        // The walk begins in the first leaf that is not below the upper end, if there is one.
        var start = end(of: 0)
        if let upper = range.upper {
            try table.forEach(from: edge(0, atOrAfter: upper), to: end(of: 0)) { rowKey, _ in
                start = .including(rowKey.rest(from: 0))
                return false
            }
        }
        var upper = range.upper
        var leaf = LeafParts(place: place)
        let stop = range.lower.map { edge(0, atOrAfter: $0) } ?? self.start(of: 0)
        try table.forEach(from: stop, to: start, isDescending: true) { _, bytes in
            let entryCount = try leaf.take(bytes)
            counter?.noteLeaf(entryCount: entryCount)
            let isInside = try leaf.forEachDescending(bytes, from: range.lower, to: upper, body)
            upper = nil
            return isInside
        }
    }
}

/// A leaf taken apart, to be read from its end; in memory that is used for the next leaf again.
private struct LeafParts {
    private var reader: LeafReader
    private var keys = ByteBuffer(capacity: 4096)
    private var parts: [(key: Range<Int>, head: Range<Int>, tail: Range<Int>)] = []

    init(place: String) {
        reader = LeafReader(place: place)
    }

    /// Takes a leaf apart; answers how many entries it has.
    mutating func take(_ bytes: Span<UInt8>) throws(IndexError) -> Int {
        keys.cut(to: 0)
        parts.removeAll(keepingCapacity: true)
        try reader.begin(bytes)
        while try reader.next(in: bytes) {
            let start = keys.count
            reader.appendKey(to: &keys)
            parts.append((start..<keys.count, reader.head, reader.tail))
        }
        return parts.count
    }

    /// Gives out the entries from the last; false when one was below `lower` or `body` stopped.
    func forEachDescending(
        _ bytes: Span<UInt8>, from lower: [UInt8]?, to upper: [UInt8]?,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws -> Bool {
        var index = parts.count
        while index > 0 {
            index -= 1
            let part = parts[index]
            let key = keys.storage.span.extracting(part.key)
            if let upper, KeyBytes.compare(key, upper.span) >= 0 { continue }
            if let lower, KeyBytes.compare(key, lower.span) < 0 { return false }
            guard try body(key, bytes.extracting(part.head), bytes.extracting(part.tail)) else {
                return false
            }
        }
        return true
    }
}
