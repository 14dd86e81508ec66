import ArgumentParser
import Foundation
import SettleServer

#if PostgreSQL
    import SettlePostgreSQL
#endif

/// Where a server keeps its tables, as it is named on the command line.
///
/// A folder, or the address of a PostgreSQL database, which begins with `postgres://` or
/// `postgresql://`.
struct StoreArgument: ExpressibleByArgument, Sendable {
    let store: ServerStore
    /// The name without a password, for people.
    let shown: String
    /// The folder; nil for a database.
    let folder: URL?

    /// Reads the argument; nil for an empty one, and for an address of anything else.
    init?(argument: String) {
        guard !argument.isEmpty, Self.isDatabase(argument) || !argument.contains("://") else {
            return nil
        }
        if Self.isDatabase(argument) {
            store = Self.database(argument)
            shown = Self.withoutPassword(argument)
            folder = nil
        } else {
            let folder = URL(fileURLWithPath: argument, isDirectory: true)
            store = .directory(folder)
            shown = argument
            self.folder = folder
        }
    }

    private static func database(_ address: String) -> ServerStore {
        #if PostgreSQL
            return .postgreSQL(url: address)
        #else
            let fault =
                "This settle was built without PostgreSQL: build it with the trait PostgreSQL, or "
                + "name a folder."
            return ServerStore(fault: fault) { _ in throw CommandFailure(fault) }
        #endif
    }

    /// Whether a text is the address of a database.
    static func isDatabase(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// An address without what only those may know who connect.
    static func withoutPassword(_ address: String) -> String {
        guard var parts = URLComponents(string: address) else { return "a PostgreSQL database" }
        parts.password = nil
        parts.query = nil
        return parts.string ?? "a PostgreSQL database"
    }
}
