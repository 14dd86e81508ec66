public import Foundation
import Settle

extension ServerStore {
    /// A Settle database for each table, in one directory.
    ///
    /// One server is at work in a directory at a time, in this process and all others: a second one
    /// does not start (`directoryInUse`). Programs that read and write the databases in it may do so
    /// meanwhile; tables that they make are known when the server starts again.
    ///
    /// - Parameter directory: The directory, a file URL; made when it is not there.
    /// - Returns: The store for ``ServerConfiguration/store``.
    public static func directory(_ directory: URL) -> ServerStore {
        ServerStore(
            fault: FileLocation.fault(of: directory).map {
                "The directory '\(FileLocation.text(of: directory))' \($0); it must be a file URL, a "
                    + "place on this machine."
            }
        ) { settings in
            try LMDBTableStore(
                directory: directory, tableCountMax: settings.tableCountMax,
                indexes: settings.indexes, isServed: !settings.isReadOnly,
                turns: settings.turns)
        }
    }
}
