import SettlePrimitives

/// One consistent snapshot of an environment.
///
/// Valid inside the closure it was given to, on the thread of that closure; any later use traps.
package class ReadTransaction {
    let environment: Environment
    private var handle: EngineTransaction?

    /// Whether bytes may move under the feet of who reads them, because the transaction writes.
    var isWriting: Bool { false }

    /// Makes a transaction that has not begun.
    init(_ environment: Environment) {
        self.environment = environment
    }

    /// Gives the transaction its snapshot.
    func begin(_ handle: EngineTransaction) {
        self.handle = handle
    }

    /// Whether it has begun and not ended.
    var isLive: Bool { handle != nil }

    /// The number of the commit that made the state which is read, or of the one that is being made.
    package var transactionNumber: UInt64 { live.number }

    /// The engine's transaction.
    var live: EngineTransaction {
        guard let handle else {
            preconditionFailure(
                "A transaction of \(environment.path) was used after its closure had ended.")
        }
        return handle
    }

    /// Makes every later use trap and hands the engine's transaction to who ends it.
    func end() -> EngineTransaction {
        let ended = live
        handle = nil
        return ended
    }

    /// Finds a table.
    ///
    /// - Parameter name: The table's name.
    /// - Returns: The table, or nil when the snapshot has none of the name.
    /// - Throws: ``LMDBError`` with `tablesChanged` when another process has made it in the same
    ///   moment (begin the read again), or `tablesFull`.
    /// - Complexity: O(log n) for n tables.
    package func table(named name: String) throws(LMDBError) -> Table? {
        if let writing = self as? WriteTransaction { return try writing.ownTable(named: name) }
        guard try isPresent(name) else { return nil }
        if let table = usableTable(name) { return table }
        environment.monitor.withLock { $0.namesSeen = -1 }
        throw LMDBError(
            code: .tablesChanged, operation: "open table \(name)", path: environment.path,
            message: "The table was made by another process in this moment, or more tables "
                + "exist than tablesMax; begin the read again.")
    }

    /// Whether the snapshot has a table of the name.
    func isPresent(_ name: String) throws(LMDBError) -> Bool {
        let bytes = [UInt8](name.utf8)
        guard (1...EnvironmentTuning.keySizeMax).contains(bytes.count) else { return false }
        return try live.value(for: bytes, in: environment.mainSlot) != nil
    }

    /// The published handle of a table, if this transaction knows it.
    func usableTable(_ name: String) -> Table? {
        guard let table = environment.monitor.withLock({ $0.tables[name] }),
            let slot = environment.slots.handle(of: table), live.knows(slot)
        else { return nil }
        return table
    }

    /// The names of all tables of the snapshot.
    ///
    /// - Returns: The names in the order of their UTF-8 bytes.
    /// - Throws: ``LMDBError`` as the engine reports it.
    package func tableNames() throws(LMDBError) -> [String] {
        try environment.names(in: live)
    }

    /// Reads the value of a key.
    ///
    /// - Parameters:
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    /// - Returns: A copy of the value, or nil when the key is absent.
    /// - Throws: ``LMDBError`` with `keyTooLong`, or `notFound` for a table that was dropped.
    /// - Complexity: O(log n) page reads for n entries.
    package func value(for key: [UInt8], in table: Table) throws(LMDBError) -> [UInt8]? {
        guard let found = try found(key, table) else { return nil }
        return [UInt8](found)
    }

    /// Reads the value of a key in place.
    ///
    /// In a write transaction the body gets a copy, because its writes would move the bytes.
    ///
    /// - Parameters:
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    ///   - body: What looks at the value.
    /// - Returns: What the body returns, or nil when the key is absent.
    /// - Throws: ``LMDBError`` as ``value(for:in:)``, or the body's.
    package func withValue<R>(
        for key: [UInt8], in table: Table, _ body: (Span<UInt8>) throws -> R
    ) throws -> R? {
        guard let found = try found(key, table) else { return nil }
        if isWriting { return try body([UInt8](found).span) }
        return try found.withMemoryRebound(to: UInt8.self) { bytes in
            try body(Span(_unsafeElements: bytes))
        }
    }

    /// Reads the value of a key in place, as a span that cannot outlive the transaction.
    ///
    /// Only for snapshots: in a write transaction any write would move the bytes, so there this
    /// traps; use ``withValue(for:in:_:)``.
    ///
    /// - Parameters:
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    /// - Returns: The value in the file's map, or nil when the key is absent.
    /// - Throws: ``LMDBError`` as ``value(for:in:)``.
    /// - Complexity: O(log n) page reads; no lock, no allocation, no copy.
    @_lifetime(borrow self)
    package func span(for key: [UInt8], in table: Table) throws(LMDBError) -> Span<UInt8>? {
        precondition(
            !isWriting, "A span was asked of a write transaction, whose bytes move: use withValue.")
        guard let found = try found(key, table) else { return nil }
        let bytes = found.assumingMemoryBound(to: UInt8.self)
        return _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
    }

    /// Whether the key is there.
    ///
    /// - Parameters:
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    /// - Returns: Whether the table has the key.
    /// - Throws: ``LMDBError`` as ``value(for:in:)``.
    package func contains(_ key: [UInt8], in table: Table) throws(LMDBError) -> Bool {
        try found(key, table) != nil
    }

    /// How many entries a table has.
    ///
    /// - Parameter table: The table.
    /// - Returns: The number of keys.
    /// - Throws: ``LMDBError`` with `notFound` for a table that was dropped.
    /// - Complexity: O(1).
    package func count(of table: Table) throws(LMDBError) -> Int {
        try live.size(of: require(table)).entryCount
    }

    private func found(
        _ key: [UInt8], _ table: Table
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        let slot = try require(table)
        try requireKey(key, "get")
        return try live.value(for: key, in: slot)
    }

    /// The engine's handle of a table; refuses one that is closed or another's since.
    @discardableResult
    func require(_ table: Table) throws(LMDBError) -> UInt32 {
        guard let slot = environment.slots.handle(of: table) else {
            throw LMDBError(
                code: .notFound, operation: "use table \(table.name)", path: environment.path,
                message: "The table \(table.name) was dropped, was never committed, or belongs "
                    + "to another database; look it up again.")
        }
        return slot
    }

    func requireKey(_ key: [UInt8], _ operation: String) throws(LMDBError) {
        guard (1...EnvironmentTuning.keySizeMax).contains(key.count) else {
            throw LMDBError(
                code: .keyTooLong, operation: operation, path: environment.path,
                message: "A key must be 1 to \(EnvironmentTuning.keySizeMax) bytes long, and this "
                    + "one has \(key.count).")
        }
    }
}
