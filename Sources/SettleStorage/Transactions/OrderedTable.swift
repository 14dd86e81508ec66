import SettleLMDB
import SettlePrimitives

/// One end of a walk over an ordered table.
package enum TableEdge: Sendable, Equatable {
    /// The first or last row there is.
    case unbounded
    /// The row with this key counts.
    case including([UInt8])
    /// The row with this key does not count.
    case excluding([UInt8])

    fileprivate var bound: Bound {
        switch self {
        case .unbounded: .unbounded
        case .including(let key): .including(key)
        case .excluding(let key): .excluding(key)
        }
    }
}

/// A table of bytes, ordered by the bytes of its keys, as part of one state of the store.
///
/// What the layers above keep of their own: the rows of indexes, side tables. Valid as long as
/// the snapshot or transaction it came from.
package struct OrderedTable {
    private let table: Table
    private let reader: ReadTransaction
    private let transaction: StoreTransaction?

    /// The longest key, in bytes.
    package static let keyLengthMax = 511

    init(_ table: Table, in snapshot: StoreSnapshot) {
        self.table = table
        reader = snapshot.reader
        transaction = snapshot as? StoreTransaction
    }

    /// The number of rows.
    package var count: Int {
        get throws { try reader.count(of: table) }
    }

    /// The value of a key, or nil.
    ///
    /// - Throws: ``LMDBError`` when the key is empty or too long, or the table cannot be read.
    package func value(for key: [UInt8]) throws -> [UInt8]? {
        try reader.value(for: key, in: table)
    }

    /// Reads the value of a key in place.
    ///
    /// In a transaction that writes, `body` gets a copy.
    ///
    /// - Returns: What `body` returns, or nil when the key is not there.
    /// - Throws: ``LMDBError`` as ``value(for:)``; what `body` throws.
    package func withValue<Value>(
        for key: [UInt8], _ body: (Span<UInt8>) throws -> Value
    ) throws -> Value? {
        try reader.withValue(for: key, in: table, body)
    }

    /// Walks the rows between two edges.
    ///
    /// The table must not be changed meanwhile.
    ///
    /// - Parameters:
    ///   - lower: The low end.
    ///   - upper: The high end.
    ///   - isDescending: True to start at the high end.
    ///   - body: Called with each key and value, borrowed; answers false to stop.
    /// - Throws: ``LMDBError`` when the table cannot be read; what `body` throws.
    package func forEach(
        from lower: TableEdge = .unbounded, to upper: TableEdge = .unbounded,
        isDescending: Bool = false,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool
    ) throws {
        try reader.forEach(
            in: table, from: lower.bound, to: upper.bound,
            direction: isDescending ? .backward : .forward, body)
    }

    /// Walks the rows between two edges in place, also in a transaction that writes.
    ///
    /// As ``forEach(from:to:isDescending:_:)``, but nothing is copied. Nothing at all may be written in
    /// the transaction meanwhile, to no table: that traps.
    ///
    /// - Parameters:
    ///   - lower: The low end.
    ///   - upper: The high end.
    ///   - isDescending: True to start at the high end.
    ///   - body: Called with each key and value, borrowed; answers false to stop.
    /// - Throws: ``LMDBError`` when the table cannot be read; what `body` throws.
    package func forEachInPlace(
        from lower: TableEdge = .unbounded, to upper: TableEdge = .unbounded,
        isDescending: Bool = false,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool
    ) throws {
        try reader.forEachInPlace(
            in: table, from: lower.bound, to: upper.bound,
            direction: isDescending ? .backward : .forward, body)
    }

    /// Sets the value of a key.
    ///
    /// - Throws: ``LMDBError`` when the key or value is too large or the file cannot take it.
    package func set(_ value: [UInt8], for key: [UInt8]) throws {
        try writer.put(value, for: key, in: table)
    }

    /// Sets the value of a key to two parts, one after the other, without joining them in memory.
    ///
    /// - Throws: ``LMDBError`` as ``set(_:for:)``.
    package func set(
        _ first: Span<UInt8>, _ second: Span<UInt8>, for key: [UInt8]
    ) throws {
        try writer.put(count: first.count + second.count, for: key, in: table) { value in
            value.append(copying: first)
            value.append(copying: second)
        }
    }

    /// Removes a key.
    ///
    /// Answers false when it was not there.
    @discardableResult
    package func remove(_ key: [UInt8]) throws -> Bool {
        try writer.delete(key, from: table)
    }

    /// Removes every row.
    package func removeAll() throws {
        try writer.removeAll(from: table)
    }

    /// Removes the table itself; its pages are free again after the commit.
    package func drop() throws {
        try writer.drop(table)
    }

    private var writer: WriteTransaction {
        guard let transaction else {
            preconditionFailure("A table of a snapshot can only be read.")
        }
        return transaction.writer
    }
}
