import CLMDB

extension EngineEnvironment {
    /// Writes tables of a snapshot into an empty file, each in the order of its keys, so that every page is
    /// full; the file is not flushed.
    ///
    /// Some pages are free in it where it took several transactions: those on the ways from the root.
    ///
    /// - Parameters:
    ///   - target: The file; what it holds after an error is of no use.
    ///   - tables: All tables, with their handles here.
    ///   - reading: The snapshot.
    /// - Throws: ``LMDBError`` with `diskFull`, or as the engine reports it.
    func fill(
        _ target: String, with tables: [(name: String, handle: UInt32)],
        of reading: EngineTransaction
    ) throws(LMDBError) {
        let filled = try EngineEnvironment.create(path: target)
        defer { filled.close() }
        try filled.configure(
            readersMax: 1, tablesMax: tables.count + 1, mapSize: info().mapSizeBytes)
        try filled.openForFilling()
        var filling = try Filling(filled)
        defer { filling.abort() }
        for (name, handle) in tables {
            let walk = try reading.cursor(in: handle)
            defer { walk.close() }
            let table = try filling.makeTable(name)
            var entry = try walk.first()
            while let (key, value) = entry {
                try filling.append(value, for: key, in: table)
                entry = try walk.next()
            }
        }
        try filling.commit()
    }

    private func openForFilling() throws(LMDBError) {
        // A file of its own that has no other user yet, and is flushed as a whole.
        let flags = UInt32(MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC | MDB_NOTLS)
        try LMDBError.check(
            mdb_env_open(pointer, path, flags, EnvironmentTuning.fileMode), "compact", path)
    }
}

/// Transactions that follow one another, since pages that are not committed are in memory.
private struct Filling {
    /// Bytes of keys and values that one transaction takes.
    private static let bytesMax = 8 << 20

    private let engine: EngineEnvironment
    private var transaction: EngineTransaction?
    private var byteCount = 0

    init(_ engine: EngineEnvironment) throws(LMDBError) {
        self.engine = engine
        transaction = try engine.begin(isReadOnly: false)
    }

    mutating func makeTable(_ name: String) throws(LMDBError) -> UInt32 {
        try writing().openTable(named: name, create: true)
    }

    mutating func append(
        _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in slot: UInt32
    ) throws(LMDBError) {
        if byteCount > Self.bytesMax { try commit() }
        try writing().append(value, for: key, in: slot)
        byteCount += key.count + value.count
    }

    mutating func commit() throws(LMDBError) {
        guard let ended = transaction else { return }
        transaction = nil
        byteCount = 0
        try ended.commit()
    }

    /// Ends what was not committed.
    mutating func abort() {
        transaction?.abort()
        transaction = nil
    }

    private mutating func writing() throws(LMDBError) -> EngineTransaction {
        if let transaction { return transaction }
        let begun = try engine.begin(isReadOnly: false)
        transaction = begun
        return begun
    }
}

extension EngineTransaction {
    /// Adds a pair behind all others of a table.
    fileprivate func append(
        _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in slot: UInt32
    ) throws(LMDBError) {
        var keyValue = MDB_val(key)
        var dataValue = MDB_val(value)
        try LMDBError.check(
            mdb_put(pointer, slot, &keyValue, &dataValue, UInt32(MDB_APPEND)), "put", path)
    }
}
