import SettlePrimitives
import SettleStorage

/// An ordered table of bytes that belongs to whoever builds on the database.
///
/// Valid only inside the closure of its transaction. A table from a ``Snapshot`` can only be read;
/// writing to it traps.
public struct SideTable {
    private let table: OrderedTable

    /// What stands before the names of side tables among the tables of the store.
    static let prefix = "side/"
    /// The longest key, in bytes.
    static let keyLengthMax = 480

    init(_ table: OrderedTable) {
        self.table = table
    }

    /// The number of rows.
    public var count: Int {
        get throws { try DatabaseError.translating { try table.count } }
    }

    /// The value of a key, or nil.
    ///
    /// - Throws: ``DatabaseError`` with `invalidSideTableKey`, or when the database cannot be read.
    public func value(for key: [UInt8]) throws -> [UInt8]? {
        try DatabaseError.translating {
            try Self.check(key)
            return try table.value(for: key)
        }
    }

    /// Sets the value of a key.
    ///
    /// - Parameters:
    ///   - value: Any bytes, up to 20 MiB.
    ///   - key: 1 to 480 bytes.
    /// - Throws: ``DatabaseError`` with `invalidSideTableKey`, or when the store cannot take it.
    public func set(_ value: [UInt8], for key: [UInt8]) throws {
        try DatabaseError.translating {
            try Self.check(key)
            try table.set(value, for: key)
        }
    }

    /// Removes a key.
    ///
    /// - Returns: False when it was not there.
    /// - Throws: As ``set(_:for:)``.
    @discardableResult
    public func remove(_ key: [UInt8]) throws -> Bool {
        try DatabaseError.translating {
            try Self.check(key)
            return try table.remove(key)
        }
    }

    /// Removes every key.
    ///
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    public func removeAll() throws {
        try DatabaseError.translating { try table.removeAll() }
    }

    /// Walks the rows in the byte order of their keys.
    ///
    /// The table must not be changed meanwhile; collect what is to be changed and do it after.
    ///
    /// - Parameters:
    ///   - key: Where to start, included; empty for the first row.
    ///   - body: Called with each key and value; answers false to stop.
    /// - Throws: ``DatabaseError`` when the database cannot be read; what `body` throws.
    public func forEach(
        from key: [UInt8] = [], _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        try DatabaseError.translating {
            let start: TableEdge = key.isEmpty ? .unbounded : .including(key)
            try table.forEach(from: start) { key, value in
                try body(key.rest(from: 0), value.rest(from: 0))
            }
        }
    }

    /// Walks the rows in the byte order of their keys, without copies of them.
    ///
    /// As ``forEach(from:_:)``; the bytes are good during the call.
    package func forEachRow(
        from key: [UInt8] = [], _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool
    ) throws {
        try DatabaseError.translating {
            try table.forEach(from: key.isEmpty ? .unbounded : .including(key), body)
        }
    }

    /// The first key from a place on, in the byte order of keys.
    ///
    /// Cheaper than a walk that stops at its first row: the value is not copied.
    ///
    /// - Parameter key: Where to start, included; empty for the first row.
    /// - Returns: The key; nil when there is none.
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    /// - Complexity: O(log n) page reads.
    public func firstKey(from key: [UInt8] = []) throws -> [UInt8]? {
        try DatabaseError.translating {
            let start: TableEdge = key.isEmpty ? .unbounded : .including(key)
            var found: [UInt8]?
            // Nothing is written meanwhile, so the row need not be copied to be looked at.
            try table.forEachInPlace(from: start) { key, _ in
                found = key.rest(from: 0)
                return false
            }
            return found
        }
    }

    private static func check(_ key: [UInt8]) throws(DatabaseError) {
        guard (1...keyLengthMax).contains(key.count) else {
            throw DatabaseError(
                .invalidSideTableKey,
                "A key of a side table has 1 to \(keyLengthMax) bytes, not \(key.count).")
        }
    }
}
