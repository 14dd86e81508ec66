import SettleLMDB

/// The facts in the `meta` table that say who may read a store.
///
/// Shape: "format" -> decimal text; "engine" -> generation of the engine that wrote the file
/// ("LMDB 0.9"): files of generations 0.9 and 1.0 cannot read each other.
enum StoreHeader {
    /// The format this release writes.
    ///
    /// A change of any byte table raises it. Format 3 keeps indexes in another way than format 2;
    /// format 4 has holds and numbers of origins.
    static let format: UInt32 = 4

    /// The format of a store that may have a commit log, and is in all else as one of ``format``.
    ///
    /// It is raised to this before the log is first used: a release that does not know the log would take a file for
    /// whole that needs it.
    static let formatWithLog: UInt32 = 5

    /// The oldest format that is upgraded (``StoreUpgrade``).
    ///
    /// Format 1 was never released.
    static let oldestFormat: UInt32 = 2

    /// The names of its rows in the table of facts.
    static let keys = ["format", "engine"]
    private static let formatKey = Array(keys[0].utf8)
    private static let engineKey = Array(keys[1].utf8)

    /// The generation of the engine in this process: its name, major and minor number.
    static var runningEngine: String {
        let numbers = Environment.engineVersion.split(whereSeparator: { !$0.isNumber }).prefix(2)
        return "LMDB " + numbers.joined(separator: ".")
    }

    /// Writes the header of a new store.
    static func write(to table: Table, in transaction: WriteTransaction) throws {
        try transaction.put(Array(String(format).utf8), for: formatKey, in: table)
        try transaction.put(Array(runningEngine.utf8), for: engineKey, in: table)
    }

    /// Notes that a store has a format, that of this release or with a log.
    static func raiseFormat(
        to format: UInt32 = format, in table: Table, of transaction: WriteTransaction
    ) throws {
        try transaction.put(Array(String(format).utf8), for: formatKey, in: table)
    }

    /// Refuses a store that this release cannot read.
    ///
    /// - Returns: The store's format; it may be older than ``format``, or ``formatWithLog``.
    /// - Throws: ``StorageError/newerFormat(format:)``, ``StorageError/foreignEngine(recorded:running:)``,
    ///   or ``StorageError/notASettleStore`` when there is no header at all.
    @discardableResult
    static func check(_ table: Table, in transaction: ReadTransaction) throws -> UInt32 {
        guard let bytes = try transaction.value(for: formatKey, in: table),
            let recorded = UInt32(String(decoding: bytes, as: UTF8.self)), recorded >= 1
        else { throw StorageError.notASettleStore }
        guard recorded <= formatWithLog else { throw StorageError.newerFormat(format: recorded) }
        guard recorded >= oldestFormat else { throw StorageError.olderFormat(format: recorded) }
        let engine = try transaction.value(for: engineKey, in: table).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard engine == runningEngine else {
            throw StorageError.foreignEngine(
                recorded: engine ?? "unknown", running: runningEngine)
        }
        return recorded
    }
}
