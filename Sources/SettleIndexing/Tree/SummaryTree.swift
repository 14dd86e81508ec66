import SettlePrimitives
package import SettleStorage

/// Sorted entries in leaves, with the counts and reductions of leaves and of the inner nodes above them.
///
/// What an index keeps its rows in. A row of the engine's table is a *leaf* of neighbouring entries
/// (level 0) or the *summary* of neighbouring leaves or summaries (level 1 and up); its key is the level
/// in one byte and the boundary it ends with (``ChunkBoundaryRule``), so an entry lies in the first leaf whose
/// boundary is not below the first bytes of its key. There is a level above another one exactly if that
/// one has more than one row; so the uppermost has one, which knows of all entries.
///
/// The bytes of the table are a function of the entries alone: any order of changes that ends with
/// the same entries ends with the same bytes, as long as the reducer reduces equal rows to equal
/// bytes.
///
/// Valid as long as the table it is a view of. Bytes from the file are not trusted: damaged ones give
/// ``IndexError/corrupted(place:)`` or a wrong answer, and ``check(checksReductions:report:advance:)``
/// finds them.
package struct SummaryTree {
    let table: OrderedTable
    let reducer: IndexReducer?
    let storesLevels: Bool
    let rule: ChunkBoundaryRule
    /// What the errors say is damaged.
    let place: String
    /// What counts that which is read; nil when nothing does.
    var counter: TreeReadCounter?

    /// A view of one of the store's tables.
    ///
    /// - Parameters:
    ///   - table: A table that nothing else is written to.
    ///   - reducer: What the reductions are made with; nil to store none.
    ///   - storesLevels: False to store leaves only. Then there are no reductions above them, and
    ///     counting looks at every leaf.
    ///   - rule: ``ChunkBoundaryRule/standard``; always the same one for a table.
    ///   - place: What the table is, for errors, as in "rows of index 'byName'".
    package init(
        _ table: OrderedTable, reducer: IndexReducer?, storesLevels: Bool,
        rule: ChunkBoundaryRule = .standard, place: String = "the leaves of an index"
    ) {
        self.table = table
        self.reducer = reducer
        self.storesLevels = storesLevels
        self.rule = rule
        self.place = place
    }

    /// The number of entries.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, or what the table throws.
    /// - Complexity: O(log n); O(n) without levels.
    package var entryCount: Int {
        get throws {
            storesLevels ? try top()?.entryCount ?? 0 : try count(from: nil, to: nil)
        }
    }

    /// The entry with that key, or nil.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, or what the table throws.
    /// - Complexity: O(log n) and the entries of one leaf.
    package func entry(for key: [UInt8]) throws -> TreeEntry? {
        try withEntry(for: key) { head, tail in
            TreeEntry(key: key, head: head.rest(from: 0), tail: tail.rest(from: 0))
        }
    }

    /// Reads the entry with that key in place; nil when there is none.
    ///
    /// In a transaction that writes, `body` must not write anything, which traps.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - body: Called with head and tail, borrowed.
    /// - Returns: What `body` returns.
    /// - Throws: ``IndexError/corrupted(place:)``, what the table throws, what `body` throws.
    /// - Complexity: O(log n) and the entries of one leaf up to that one.
    package func withEntry<Value>(
        for key: [UInt8], _ body: (_ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Value
    ) throws -> Value? {
        guard let first = key.first, first != ChunkBoundaryRule.sentinel else { return nil }
        var found: Value?
        try table.forEachInPlace(from: edge(0, atOrAfter: key), to: end(of: 0)) { _, bytes in
            var reader = LeafReader(place: place)
            try reader.begin(bytes)
            var seek = KeySeek(key, after: reader)
            while try reader.lookAhead(in: bytes) {
                let order = seek.order(of: reader, in: bytes)
                if order == 0 {
                    found = try body(bytes.extracting(reader.head), bytes.extracting(reader.tail))
                }
                if order >= 0 { break }
                reader.passOver()
            }
            return false
        }
        return found
    }

    /// The greatest key, or nil when there are no entries.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, or what the table throws.
    /// - Complexity: O(log n) and the entries of one leaf.
    package func lastKey() throws -> [UInt8]? {
        var last: [UInt8]?
        try table.forEachInPlace(
            from: start(of: 0), to: end(of: 0), isDescending: true
        ) { _, bytes in
            var reader = LeafReader(place: place)
            try reader.begin(bytes)
            while try reader.next(in: bytes) {}
            last = reader.key.bytes
            return false
        }
        return last
    }

    // MARK: Places in the table

    /// Where the rows of a level begin.
    func start(of level: Int) -> TableEdge { .including([UInt8(level)]) }

    /// Where the rows of a level end: their last one.
    func end(of level: Int) -> TableEdge { .including([UInt8(level), ChunkBoundaryRule.sentinel]) }

    /// The first node of a level that may hold entries at or above a key.
    func edge(_ level: Int, atOrAfter key: [UInt8]) -> TableEdge {
        .including(rowKey(level, KeyBytes.prefix(key, rule.boundaryLength)))
    }

    /// The first node of a level after the one with that boundary; of the level, for nil.
    func edge(_ level: Int, after boundary: [UInt8]?) -> TableEdge {
        boundary.map { .excluding(rowKey(level, $0)) } ?? start(of: level)
    }

    /// The key of a node in the table.
    func rowKey(_ level: Int, _ boundary: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(boundary.count + 1)
        key.append(UInt8(level))
        key.append(contentsOf: boundary)
        return key
    }

    /// The uppermost level, or nil when there are no entries.
    func topLevel() throws -> Int? {
        var level: Int?
        try table.forEachInPlace(isDescending: true) { key, _ in
            level = key.isEmpty ? 0 : Int(key[0])
            return false
        }
        return level
    }

    /// The uppermost level and what it knows of, in a table that stores levels; nil without entries.
    ///
    /// It has one node, except in a table that is still being filled.
    func top() throws -> (level: Int, nodeCount: Int, entryCount: Int)? {
        var top: (level: Int, nodeCount: Int, entryCount: Int)?
        try table.forEachInPlace(isDescending: true) { key, bytes in
            let level = key.isEmpty ? 0 : Int(key[0])
            if let top, top.level != level { return false }
            guard let header = NodeHeader(bytes) else { throw damage }
            counter?.noteSummary()
            top = (level, (top?.nodeCount ?? 0) + 1, (top?.entryCount ?? 0) &+ header.entryCount)
            return true
        }
        return top
    }

    /// The error for bytes that cannot be read.
    var damage: IndexError { .corrupted(place: place) }
}

/// The ends of a range of keys, brought to a form that needs no special cases.
struct TreeRange {
    /// The first key that counts; nil for the first there is.
    let lower: [UInt8]?
    /// The first key that no longer counts; nil when all do.
    let upper: [UInt8]?

    /// A range; nil when no key can be in it.
    init?(from lower: [UInt8]?, to upper: [UInt8]?) {
        if let lower, let upper, KeyBytes.compare(lower.span, upper.span) >= 0 { return nil }
        // No key is empty, and none begins with the sentinel.
        if let upper, upper.isEmpty { return nil }
        if let lower, lower.first == ChunkBoundaryRule.sentinel { return nil }
        self.lower = lower.flatMap { $0.isEmpty ? nil : $0 }
        self.upper = upper.flatMap { $0.first == ChunkBoundaryRule.sentinel ? nil : $0 }
    }
}
