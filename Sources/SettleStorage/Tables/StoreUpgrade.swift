import SettleLMDB

/// Brings a store of an older format to this release's.
///
/// From 2 to 3: the tables of indexes are removed; what they held is rebuilt from the documents,
/// in another form. A store that is opened for reading only is read as it is, without its indexes.
///
/// From 3 to 4: the table of holds is made, empty. No record is written anew: one without the flags of
/// format 4 means what it meant.
enum StoreUpgrade {
    private static let oldIndexes = StoreTables.guestPrefix + "index"

    /// Upgrades a store, in one commit.
    ///
    /// Another process may have done it meanwhile; then nothing is left to do.
    ///
    /// - Throws: ``LMDBError`` when the engine cannot; ``StorageError`` as ``StoreHeader`` does.
    static func run(in environment: Environment) throws {
        try environment.write { transaction in
            let meta = try StoreTables.meta(in: transaction)
            let format = try StoreHeader.check(meta, in: transaction)
            guard format < StoreHeader.format else { return }
            if format < 3 { try removeIndexes(in: transaction) }
            _ = try HoldTable(creatingIn: transaction)
            try StoreHeader.raiseFormat(in: meta, of: transaction)
        }
    }

    private static func removeIndexes(in transaction: WriteTransaction) throws {
        for name in try transaction.tableNames() where name.hasPrefix(oldIndexes) {
            guard let table = try transaction.table(named: name) else { continue }
            try transaction.drop(table)
        }
    }
}
