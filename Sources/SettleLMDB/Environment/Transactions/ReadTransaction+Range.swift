#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension ReadTransaction {
    /// Walks the entries of a range of keys.
    ///
    /// The spans are good inside one call of the body. In a write transaction the body may write
    /// to other tables (it gets copies); a write to the table that is walked traps, because the
    /// walk would miss or repeat entries.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - lower: Where the range begins, whatever the direction.
    ///   - upper: Where it ends.
    ///   - direction: Ascending or descending by the bytes of the key.
    ///   - body: Gets key and value, returns whether to go on.
    /// - Throws: ``LMDBError`` with `notFound` for a table that was dropped, or the body's.
    /// - Complexity: O(log n + k) page reads for k entries walked.
    package func forEach(
        in table: Table, from lower: Bound = .unbounded, to upper: Bound = .unbounded,
        direction: Direction = .forward,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool
    ) throws {
        beginWalk(table)
        defer { endWalk(table) }
        try walk(table, lower, upper, direction, isInPlace: !isWriting, body)
    }

    /// Walks the entries of a range of keys in place, also in a write transaction.
    ///
    /// As ``forEach(in:from:to:direction:_:)``, but nothing is copied: while the walk lasts, any
    /// write of the transaction traps, to whatever table, because it could move the bytes. Walks in
    /// place may lie one in the other.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - lower: Where the range begins, whatever the direction.
    ///   - upper: Where it ends.
    ///   - direction: Ascending or descending by the bytes of the key.
    ///   - body: Gets key and value, returns whether to go on.
    /// - Throws: ``LMDBError`` with `notFound` for a table that was dropped, or the body's.
    /// - Complexity: O(log n + k) page reads for k entries walked.
    package func forEachInPlace(
        in table: Table, from lower: Bound = .unbounded, to upper: Bound = .unbounded,
        direction: Direction = .forward,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool
    ) throws {
        let writing = isWriting ? self as? WriteTransaction : nil
        writing?.inPlaceWalkCount += 1
        defer { writing?.inPlaceWalkCount -= 1 }
        try walk(table, lower, upper, direction, isInPlace: true, body)
    }

    private func walk(
        _ table: Table, _ lower: Bound, _ upper: Bound, _ direction: Direction, isInPlace: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool
    ) throws {
        let cursor = try live.cursor(in: require(table))
        defer { cursor.close() }
        let lower = Edge(lower)
        let upper = Edge(upper)
        var entry =
            direction == .forward
            ? try cursor.first(from: lower) : try cursor.last(to: upper)
        while let found = entry {
            switch direction {
            case .forward: guard upper.isAtOrAbove(found.key) else { return }
            case .backward: guard lower.isAtOrBelow(found.key) else { return }
            }
            guard try visit(found, isInPlace: isInPlace, body) else { return }
            // The body may have kept the transaction's closure going only in appearance.
            _ = live
            entry = direction == .forward ? try cursor.next() : try cursor.previous()
        }
    }

    private func visit(
        _ entry: EngineCursor.Entry, isInPlace: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool
    ) throws -> Bool {
        // A write to another table may push a dirty page of this one out of memory.
        if !isInPlace { return try body([UInt8](entry.key).span, [UInt8](entry.value).span) }
        return try entry.key.withMemoryRebound(to: UInt8.self) { key in
            try entry.value.withMemoryRebound(to: UInt8.self) { value in
                try body(Span(_unsafeElements: key), Span(_unsafeElements: value))
            }
        }
    }

    /// The entry with the smallest key.
    ///
    /// - Parameter table: The table.
    /// - Returns: A copy of the entry, or nil for an empty table.
    /// - Throws: ``LMDBError`` with `notFound` for a table that was dropped.
    package func first(
        in table: Table
    ) throws(LMDBError) -> (key: [UInt8], value: [UInt8])? {
        let cursor = try live.cursor(in: require(table))
        defer { cursor.close() }
        return try cursor.first().map { ([UInt8]($0.key), [UInt8]($0.value)) }
    }

    /// The entry with the greatest key.
    ///
    /// - Parameter table: The table.
    /// - Returns: A copy of the entry, or nil for an empty table.
    /// - Throws: ``LMDBError`` with `notFound` for a table that was dropped.
    package func last(
        in table: Table
    ) throws(LMDBError) -> (key: [UInt8], value: [UInt8])? {
        let cursor = try live.cursor(in: require(table))
        defer { cursor.close() }
        return try cursor.last().map { ([UInt8]($0.key), [UInt8]($0.value)) }
    }

    private func beginWalk(_ table: Table) {
        (self as? WriteTransaction)?.walks[table.slot, default: 0] += 1
    }

    private func endWalk(_ table: Table) {
        (self as? WriteTransaction)?.walks[table.slot, default: 0] -= 1
    }
}

/// A bound brought to lengths the engine can seek: 1 to 511 bytes.
private struct Edge {
    private enum Kind { case open, including, excluding }

    private let kind: Kind
    let bytes: [UInt8]
    private let wasCut: Bool

    init(_ bound: Bound) {
        let given: [UInt8]
        switch bound {
        case .unbounded: (kind, given) = (.open, [])
        case .including(let key): (kind, given) = (.including, key)
        case .excluding(let key): (kind, given) = (.excluding, key)
        }
        // No stored key is longer, so none lies between the cut bound and the whole one.
        wasCut = given.count > EnvironmentTuning.keySizeMax
        bytes = wasCut ? Array(given.prefix(EnvironmentTuning.keySizeMax)) : given
    }

    /// Whether the range has no end here; the empty key is below every stored one.
    var isOpenBelow: Bool { kind == .open || bytes.isEmpty }
    var isOpenAbove: Bool { kind == .open }

    /// Whether a key is inside, this being the range's lower end.
    func isAtOrBelow(_ key: UnsafeRawBufferPointer) -> Bool {
        if kind == .open { return true }
        let order = compare(key)
        return order > 0 || (order == 0 && kind == .including && !wasCut)
    }

    /// Whether a key is inside, this being the range's upper end.
    func isAtOrAbove(_ key: UnsafeRawBufferPointer) -> Bool {
        if kind == .open { return true }
        let order = compare(key)
        return order < 0 || (order == 0 && (kind == .including || wasCut))
    }

    /// Negative when the key is smaller than the bound, positive when it is greater.
    private func compare(_ key: UnsafeRawBufferPointer) -> Int {
        let count = min(key.count, bytes.count)
        if count > 0, let start = key.baseAddress {
            let order = bytes.withUnsafeBytes { bound -> Int32 in
                guard let other = bound.baseAddress else { return 0 }
                return memcmp(start, other, count)
            }
            if order != 0 { return Int(order) }
        }
        return key.count - bytes.count
    }
}

extension EngineCursor {
    /// The first entry inside a lower edge.
    fileprivate func first(from edge: Edge) throws(LMDBError) -> Entry? {
        if edge.isOpenBelow { return try first() }
        guard let found = try seek(edge.bytes) else { return nil }
        return edge.isAtOrBelow(found.key) ? found : try next()
    }

    /// The last entry inside an upper edge.
    fileprivate func last(to edge: Edge) throws(LMDBError) -> Entry? {
        if edge.isOpenAbove { return try last() }
        if edge.bytes.isEmpty { return nil }
        guard let found = try seek(edge.bytes) else { return try last() }
        return edge.isAtOrAbove(found.key) ? found : try previous()
    }
}
