import Foundation
import Settle

/// The databases that an inspector shows.
protocol InspectedDatabases: Sendable {
    /// Their names, in order.
    ///
    /// - Throws: What the system throws when they cannot be listed.
    func names() throws -> [String]

    /// An open database; nil when there is none, or when it is not open.
    func database(named name: String) -> Database?
}

/// One database alone.
struct SingleDatabase: InspectedDatabases {
    let database: Database

    func names() -> [String] { [database.name] }

    func database(named name: String) -> Database? { name == database.name ? database : nil }
}

/// The databases of a directory that this process has open.
///
/// Those that nobody uses are not opened for it: how a database is opened is decided by who works with it.
struct DirectoryDatabases: InspectedDatabases {
    let directory: URL

    func names() throws -> [String] { try Database.allDatabaseNames(underLocation: directory) }

    func database(named name: String) -> Database? {
        Database.openedWith(Database.Configuration(name: name, fileLocation: directory))
    }
}
