import Foundation
import Settle
import SettlePrimitives
import Synchronization

/// The databases of a directory, as CouchDB's protocol names them; each is opened when it is first asked for.
final class CouchDatabases: Sendable {
    private let directory: URL
    private let open = Lock<[String: Database]>([:])

    /// The databases in a directory, which is made when it is not there.
    ///
    /// - Throws: What Foundation throws when it cannot be made.
    init(directory: URL) throws {
        self.directory = directory
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func configuration(_ name: String) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(name: name, fileLocation: directory)
    }

    /// Refuses what no database can be called.
    static func check(_ name: String) throws(CouchError) {
        guard DatabaseName.isValid(name) else {
            throw CouchError(
                400, "illegal_database_name",
                "Name: '\(name)'. Only lowercase characters (a-z), digits (0-9), and any of the "
                    + "characters _, $, (, ), +, -, and / are allowed. Must begin with a letter.")
        }
    }

    /// The names of all databases, sorted.
    ///
    /// - Throws: ``DatabaseError`` when the directory cannot be read.
    var names: [String] {
        get throws { try Database.allDatabaseNames(underLocation: directory) }
    }

    /// A database that is there.
    ///
    /// - Throws: ``CouchError`` when it is not; ``DatabaseError`` when it cannot be opened.
    func database(_ name: String) async throws -> CouchDatabase {
        try Self.check(name)
        if let known = open.withLock({ $0[name] }) { return CouchDatabase(name, known) }
        guard let database = try await Database.open(with: configuration(name), create: false)
        else { throw CouchError.noDatabase }
        // Whoever came at the same time has the same object.
        open.withLock { $0[name] = database }
        return CouchDatabase(name, database)
    }

    /// Makes a database.
    ///
    /// - Throws: ``CouchError`` when there is one; ``DatabaseError`` when it cannot be made.
    func create(_ name: String) async throws {
        try Self.check(name)
        guard try !names.contains(name) else {
            throw CouchError(
                412, "file_exists",
                "The database could not be created, the file already exists.")
        }
        let database = try await Database.openOrCreate(configuration(name))
        try await database.write { try $0.keepRevisionTrees() }
        open.withLock { $0[name] = database }
    }

    /// Deletes a database with its files.
    ///
    /// - Throws: ``CouchError`` when it is not there; ``DatabaseError`` when it cannot be deleted.
    func delete(_ name: String) async throws {
        let found = try await database(name)
        _ = open.withLock { $0.removeValue(forKey: name) }
        await found.database.close()
        try await Database.delete(configuration(name))
    }

    /// Closes all databases.
    func close() async {
        let all = open.withLock { open in
            defer { open = [:] }
            return Array(open.values)
        }
        for database in all { await database.close() }
    }
}
