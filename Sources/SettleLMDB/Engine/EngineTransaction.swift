import CLMDB

/// The engine's functions on a transaction, one caller each.
///
/// Bytes come out as buffers into the map or into a dirty page; they are good until the next
/// write of the same transaction or its end, and never leave this target except as spans.
///
/// The place outlives every transaction, because the environment holds it.
struct EngineTransaction: @unchecked Sendable {
    let pointer: OpaquePointer
    unowned(unsafe) let place: EnginePlace

    var path: String { place.path }

    /// The number of the commit it sees.
    var number: UInt64 { UInt64(mdb_txn_id(pointer)) }

    func commit() throws(LMDBError) {
        try LMDBError.check(mdb_txn_commit(pointer), "commit", path)
    }

    func abort() {
        mdb_txn_abort(pointer)
    }

    /// Lets go of the snapshot and keeps the reader slot.
    func reset() {
        mdb_txn_reset(pointer)
    }

    /// Takes a new snapshot after `reset`.
    func renew() throws(LMDBError) {
        try LMDBError.check(mdb_txn_renew(pointer), "begin read", path)
    }

    /// Opens a table; nil opens the one that holds the names.
    ///
    /// A table that another program made with flags is refused: several values a key, or another
    /// order of keys, would be met by none of our rules.
    func openTable(named name: String?, create: Bool) throws(LMDBError) -> UInt32 {
        var slot: UInt32 = 0
        try LMDBError.check(
            mdb_dbi_open(pointer, name, create ? UInt32(MDB_CREATE) : 0, &slot),
            "open table \(name ?? "of names")", path)
        guard try flags(of: slot) == 0 else {
            throw LMDBError(
                code: .invalid, operation: "open table \(name ?? "of names")", path: path,
                message: "The table was made by another program, with several values a key or an "
                    + "order of its own, and cannot be read here; check the path.")
        }
        return slot
    }

    /// Whether the handle is known to this transaction.
    func knows(_ slot: UInt32) -> Bool {
        var flags: UInt32 = 0
        return mdb_dbi_flags(pointer, slot, &flags) == 0
    }

    /// The flags the table was made with; ours have none.
    func flags(of slot: UInt32) throws(LMDBError) -> UInt32 {
        var flags: UInt32 = 0
        try LMDBError.check(mdb_dbi_flags(pointer, slot, &flags), "open table", path)
        return flags
    }

    struct TableSize {
        let entryCount: Int
        let pageCount: Int
    }

    func size(of slot: UInt32) throws(LMDBError) -> TableSize {
        var found = MDB_stat()
        try LMDBError.check(mdb_stat(pointer, slot, &found), "statistics", path)
        return TableSize(
            entryCount: Int(found.ms_entries),
            pageCount: Int(found.ms_branch_pages + found.ms_leaf_pages + found.ms_overflow_pages))
    }

    func value(for key: [UInt8], in slot: UInt32) throws(LMDBError) -> UnsafeRawBufferPointer? {
        var found = MDB_val()
        let result = key.withUnsafeBytes { bytes in
            var keyValue = MDB_val(bytes)
            return mdb_get(pointer, slot, &keyValue, &found)
        }
        if result == MDB_NOTFOUND { return nil }
        try LMDBError.check(result, "get", path)
        return UnsafeRawBufferPointer(found)
    }

    /// How a pair meets what is there.
    enum Placement {
        case replacing, unlessPresent

        fileprivate var flag: UInt32 {
            switch self {
            case .replacing: 0
            case .unlessPresent: UInt32(MDB_NOOVERWRITE)
            }
        }
    }

    /// Stores a pair; false when `unlessPresent` found the key.
    ///
    /// `atEnd` says that the key is greater than all others of the table: then no page is split in
    /// half. Where it is not, the engine refuses.
    func put(
        _ value: [UInt8], for key: [UInt8], in slot: UInt32, _ placement: Placement, atEnd: Bool
    ) throws(LMDBError) -> Bool {
        let flags = placement.flag | (atEnd ? UInt32(MDB_APPEND) : 0)
        let result = key.withUnsafeBytes { keyBytes in
            value.withUnsafeBytes { valueBytes in
                var keyValue = MDB_val(keyBytes)
                var dataValue = MDB_val(valueBytes)
                return mdb_put(pointer, slot, &keyValue, &dataValue, flags)
            }
        }
        if result == MDB_KEYEXIST, case .unlessPresent = placement { return false }
        try LMDBError.check(result, "put", path)
        return true
    }

    /// Makes room for a value; nil when `unlessPresent` found the key.
    ///
    /// The place holds old bytes of the file and is good until the next change of the transaction.
    func reserve(
        _ count: Int, for key: [UInt8], in slot: UInt32, _ placement: Placement, atEnd: Bool
    ) throws(LMDBError) -> UnsafeMutableBufferPointer<UInt8>? {
        let flags = placement.flag | UInt32(MDB_RESERVE) | (atEnd ? UInt32(MDB_APPEND) : 0)
        var place = MDB_val(mv_size: count, mv_data: nil)
        let result = key.withUnsafeBytes { keyBytes in
            var keyValue = MDB_val(keyBytes)
            return mdb_put(pointer, slot, &keyValue, &place, flags)
        }
        if result == MDB_KEYEXIST, case .unlessPresent = placement { return nil }
        try LMDBError.check(result, "put", path)
        return UnsafeMutableBufferPointer(
            start: place.mv_data?.assumingMemoryBound(to: UInt8.self), count: count)
    }

    func delete(_ key: [UInt8], in slot: UInt32) throws(LMDBError) -> Bool {
        let result = key.withUnsafeBytes { bytes in
            var keyValue = MDB_val(bytes)
            return mdb_del(pointer, slot, &keyValue, nil)
        }
        if result == MDB_NOTFOUND { return false }
        try LMDBError.check(result, "delete", path)
        return true
    }

    /// Empties a table, or removes it and closes its handle.
    func drop(_ slot: UInt32, removing: Bool) throws(LMDBError) {
        try LMDBError.check(
            mdb_drop(pointer, slot, removing ? 1 : 0), removing ? "drop" : "remove all", path)
    }

    func cursor(in slot: UInt32) throws(LMDBError) -> EngineCursor {
        var made: OpaquePointer?
        try LMDBError.check(mdb_cursor_open(pointer, slot, &made), "walk", path)
        guard let made else {
            preconditionFailure("The engine reported success without a cursor.")
        }
        return EngineCursor(pointer: made, place: place)
    }
}

/// The engine's functions on a cursor.
struct EngineCursor {
    /// A key and its value, in place.
    typealias Entry = (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

    let pointer: OpaquePointer
    unowned(unsafe) let place: EnginePlace

    private var path: String { place.path }

    func close() {
        mdb_cursor_close(pointer)
    }

    func first() throws(LMDBError) -> Entry? { try move(MDB_FIRST, nil) }
    func last() throws(LMDBError) -> Entry? { try move(MDB_LAST, nil) }
    func next() throws(LMDBError) -> Entry? { try move(MDB_NEXT, nil) }
    func previous() throws(LMDBError) -> Entry? { try move(MDB_PREV, nil) }

    /// The first entry at or after the key, which must be 1 to 511 bytes long.
    func seek(_ key: [UInt8]) throws(LMDBError) -> Entry? { try move(MDB_SET_RANGE, key) }

    private func move(_ step: MDB_cursor_op, _ target: [UInt8]?) throws(LMDBError) -> Entry? {
        var key = MDB_val()
        var value = MDB_val()
        let result: Int32
        if let target {
            result = target.withUnsafeBytes { bytes in
                key = MDB_val(bytes)
                return mdb_cursor_get(pointer, &key, &value, step)
            }
        } else {
            result = mdb_cursor_get(pointer, &key, &value, step)
        }
        if result == MDB_NOTFOUND { return nil }
        try LMDBError.check(result, "walk", path)
        return (UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(value))
    }
}

extension MDB_val {
    /// The engine does not write through keys and values given to it.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}

extension UnsafeRawBufferPointer {
    fileprivate init(_ value: MDB_val) {
        self.init(start: value.mv_data, count: value.mv_size)
    }
}
