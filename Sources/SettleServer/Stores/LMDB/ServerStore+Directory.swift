public import Foundation
public import Settle

extension ServerStore {
    /// A Settle database for each table, in one directory.
    ///
    /// One server is at work in a directory at a time, in this process and all others: a second one
    /// does not start (`directoryInUse`). Programs that read and write the databases in it may do so
    /// meanwhile; tables that they make are known when the server starts again.
    ///
    /// - Parameters:
    ///   - directory: The directory, a file URL; made when it is not there.
    ///   - durability: When a write counts as stored, and is answered. With `relaxed` a power loss may take
    ///     the last writes away, which their clients take for stored and do not send again: for tables that
    ///     can be filled anew.
    /// - Returns: The store for ``ServerConfiguration/store``.
    public static func directory(
        _ directory: URL, durability: Database.Durability = .full
    ) -> ServerStore {
        ServerStore(
            fault: FileLocation.fault(of: directory).map {
                "The directory '\(FileLocation.text(of: directory))' \($0); it must be a file URL, a "
                    + "place on this machine."
            }
        ) { settings in
            try LMDBTableStore(
                directory: directory, tableCountMax: settings.tableCountMax,
                indexes: settings.indexes, durability: durability,
                isServed: !settings.isReadOnly, turns: settings.turns)
        }
    }
}
