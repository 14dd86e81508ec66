/// The one write transaction of an environment.
///
/// Sees its own writes. Valid inside the closure of ``Environment/write(_:)``; later use traps.
/// An error of the store makes the whole transaction fail, even if the closure hides it.
package final class WriteTransaction: ReadTransaction {
    /// Why the closure has to be run again.
    enum Retry {
        case mapFull, tablesChanged
        /// The commit log has kept pages that were wanted, and does no longer.
        case pagesFreed
    }

    var retry: Retry?
    /// What made the transaction unfit for a commit, whatever its closure does with the error.
    var spoiled: (any Error)?
    /// Whether a value is being filled in place; nothing may be written meanwhile.
    var isFilling = false
    /// The greatest keys of tables, learnt in this transaction.
    let tails: KeyTails
    /// What is put and deleted, for the commit log.
    let changes: LogChanges?
    /// Bytes of keys and values put, to grow the map far enough at once.
    var bytesWritten = 0
    /// Tables whose handles this transaction has opened, by name.
    var opened: [String: Table] = [:]
    /// Tables emptied here and to be removed at the commit, by name.
    var dropped: [String: Table] = [:]
    /// How many walks are under way in each slot.
    var walks: [UInt32: Int] = [:]
    /// How many walks that read in place are under way; nothing may be written meanwhile.
    var inPlaceWalkCount = 0
    /// Whether this transaction has the right to open handles, until it ends.
    var holdsTables = false
    /// Whether no handle was published between this transaction's begin and its getting the right.
    var isAloneWithTables = false
    let tablesGeneration: Int

    override var isWriting: Bool { true }

    init(_ environment: Environment, _ handle: EngineTransaction, tablesGeneration: Int) {
        self.tablesGeneration = tablesGeneration
        tails = environment.tails
        tails.begin()
        changes = environment.log?.changes
        super.init(environment)
        begin(handle)
    }

    /// Stores a value, whether or not the key is there.
    ///
    /// A key greater than all others of the table is appended, so that keys put in ascending order
    /// fill their pages.
    ///
    /// - Parameters:
    ///   - value: At most `EnvironmentOptions.valueSizeMax` bytes.
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    /// - Throws: ``LMDBError`` with `keyTooLong`, `valueTooLarge`, `notFound`, or `mapFull`: then
    ///   the closure is run again with a larger map, whatever it does with the error.
    /// - Complexity: O(log n) page reads and writes.
    package func put(
        _ value: [UInt8], for key: [UInt8], in table: Table
    ) throws(LMDBError) {
        _ = try place(value, for: key, in: table, .replacing)
    }

    /// Stores a value unless the key is there.
    ///
    /// - Parameters:
    ///   - value: At most `EnvironmentOptions.valueSizeMax` bytes.
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    /// - Returns: Whether it was stored.
    /// - Throws: ``LMDBError`` as ``put(_:for:in:)``.
    package func insert(
        _ value: [UInt8], for key: [UInt8], in table: Table
    ) throws(LMDBError) -> Bool {
        try place(value, for: key, in: table, .unlessPresent)
    }

    /// Stores a value under a key greater than all others of the table.
    ///
    /// Fills pages to the brim, which makes loading sorted entries fast and compact.
    ///
    /// - Parameters:
    ///   - value: At most `EnvironmentOptions.valueSizeMax` bytes.
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    /// - Throws: ``LMDBError`` as ``put(_:for:in:)``, and `keyOutOfOrder`.
    package func append(
        _ value: [UInt8], for key: [UInt8], in table: Table
    ) throws(LMDBError) {
        let slot = try requirePlace(for: key, byteCount: value.count, in: table)
        _ = try noting { () throws(LMDBError) in
            try live.put(value, for: key, in: slot, .replacing, atEnd: true)
        }
        value.withUnsafeBytes { changes?.put($0, for: key, in: table) }
        key.withUnsafeBytes { tails.learn($0, table.slot) }
    }

    /// Removes a key and its value.
    ///
    /// - Parameters:
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    /// - Returns: Whether the key was there.
    /// - Throws: ``LMDBError`` as ``put(_:for:in:)``.
    @discardableResult
    package func delete(_ key: [UInt8], from table: Table) throws(LMDBError) -> Bool {
        let slot = try requireWritable(table)
        try requireKey(key, "delete")
        if tails.knows(table.slot), key.withUnsafeBytes({ tails.compare($0, table.slot) }) == 0 {
            tails.forget(table.slot)
        }
        let isDeleted = try noting { () throws(LMDBError) in try live.delete(key, in: slot) }
        if isDeleted { changes?.delete(key, from: table) }
        return isDeleted
    }

    /// Removes every entry of a table; the table stays.
    ///
    /// - Parameter table: The table.
    /// - Throws: ``LMDBError`` as ``put(_:for:in:)``.
    /// - Complexity: O(n) pages of the table.
    package func removeAll(from table: Table) throws(LMDBError) {
        let slot = try requireWritable(table)
        tails.forget(table.slot)
        try noting { () throws(LMDBError) in try live.drop(slot, removing: false) }
        changes?.clear(table)
    }

    private func place(
        _ value: [UInt8], for key: [UInt8], in table: Table,
        _ placement: EngineTransaction.Placement
    ) throws(LMDBError) -> Bool {
        let slot = try requirePlace(for: key, byteCount: value.count, in: table)
        let isGreatest = try isGreatest(key, in: table, slot)
        let isStored = try noting { () throws(LMDBError) in
            try live.put(value, for: key, in: slot, placement, atEnd: isGreatest)
        }
        if isStored { value.withUnsafeBytes { changes?.put($0, for: key, in: table) } }
        if isGreatest { key.withUnsafeBytes { tails.learn($0, table.slot) } }
        return isStored
    }

    /// Checks everything a pair must keep to, counts its bytes, and gives the engine's handle.
    func requirePlace(
        for key: [UInt8], byteCount: Int, in table: Table
    ) throws(LMDBError) -> UInt32 {
        let slot = try requireWritable(table)
        try requireKey(key, "put")
        let limit = environment.options.valueSizeMax
        guard byteCount <= limit else {
            throw LMDBError(
                code: .valueTooLarge, operation: "put", path: environment.path,
                message: "A value may have at most \(limit) bytes, and this one has "
                    + "\(byteCount); store it in pieces.")
        }
        bytesWritten += key.count + byteCount
        return slot
    }

    /// Whether a key is above all others of the table, and therefore not there.
    ///
    /// Cheaper than looking for the key: the greatest key is remembered.
    ///
    /// - Parameters:
    ///   - key: 1 to 511 bytes.
    ///   - table: The table.
    /// - Returns: True for every key when the table is empty.
    /// - Throws: ``LMDBError`` as ``put(_:for:in:)``.
    package func isAboveAll(_ key: [UInt8], in table: Table) throws(LMDBError) -> Bool {
        try isGreatest(key, in: table, requireWritable(table))
    }

    /// Whether a key is above all others of the table.
    ///
    /// The table is asked once in a transaction, and after its greatest key was deleted.
    func isGreatest(
        _ key: [UInt8], in table: Table, _ slot: UInt32
    ) throws(LMDBError) -> Bool {
        if !tails.knows(table.slot) {
            let cursor = try noting { () throws(LMDBError) in try live.cursor(in: slot) }
            defer { cursor.close() }
            let last = try noting { () throws(LMDBError) in try cursor.last() }
            let greatest = last?.key ?? UnsafeRawBufferPointer(start: nil, count: 0)
            // Made by a build of the engine that takes longer keys.
            if greatest.count > EnvironmentTuning.keySizeMax { return false }
            tails.learn(greatest, table.slot)
        }
        return key.withUnsafeBytes { tails.compare($0, table.slot) } > 0
    }

    /// Remembers that the map was full, so that hiding the error in the closure hides nothing.
    func noting<R>(_ body: () throws(LMDBError) -> R) throws(LMDBError) -> R {
        do throws(LMDBError) {
            return try body()
        } catch {
            if error.code == .mapFull { retry = .mapFull }
            throw error
        }
    }

    @discardableResult
    func requireWritable(_ table: Table) throws(LMDBError) -> UInt32 {
        let slot = try require(table)
        requireNotFilling()
        precondition(
            walks[table.slot, default: 0] == 0,
            "The table \(table.name) was written inside a forEach over it: collect the keys "
                + "first and write after the walk.")
        guard dropped[table.name] == nil else {
            throw LMDBError(
                code: .notFound, operation: "use table \(table.name)", path: environment.path,
                message: "The table \(table.name) was dropped in this transaction; create it "
                    + "again to use it.")
        }
        return slot
    }

    /// A reserved place, and bytes read in place, are good only until the transaction's next change.
    func requireNotFilling() {
        precondition(
            !isFilling,
            "The transaction was written inside a closure that fills a value: write before or "
                + "after it.")
        precondition(
            inPlaceWalkCount == 0,
            "The transaction was written inside a walk that reads in place: collect first and "
                + "write after the walk.")
    }
}
