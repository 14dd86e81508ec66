import Foundation
import HTTPTypes
import Settle

/// All tables of a server: the databases in one directory, opened on first use.
///
/// As an actor it opens each database once, however many requests ask for it at the same time.
actor Tables {
    private let directory: URL
    private let tableCountMax: Int
    private var opening: [TableName: Task<Table, any Error>] = [:]
    private var databaseNames: Set<String>
    private var isClosed = false

    /// Prepares the directory, making it when it is not there.
    ///
    /// - Parameters:
    ///   - directory: Where the databases lie.
    ///   - tableCountMax: How many tables there may be.
    /// - Throws: ``ServerError`` with `directoryUnusable` when it cannot be made, read or written.
    init(directory: URL, tableCountMax: Int) throws {
        self.directory = directory
        self.tableCountMax = tableCountMax
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            databaseNames = Set(try Database.allDatabaseNames(underLocation: directory))
        } catch {
            throw ServerError(
                .directoryUnusable,
                "The directory '\(directory.path)' cannot be used; choose one that can be "
                    + "written: \((error as NSError).localizedDescription)", cause: error)
        }
        guard FileManager.default.isWritableFile(atPath: directory.path) else {
            throw ServerError(
                .directoryUnusable,
                "The directory '\(directory.path)' cannot be written; change its rights or "
                    + "choose another.")
        }
    }

    /// The table with a name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - isCreated: True to make a table that is not there.
    /// - Returns: The table; nil when there is none and it shall not be made.
    /// - Throws: ``Refusal`` 403 when there are too many tables, 503 when the server is stopping;
    ///   ``DatabaseError`` when the database cannot be opened.
    func table(_ name: TableName, isCreated: Bool) async throws -> Table? {
        guard !isClosed else {
            throw Refusal(.serviceUnavailable, "The server is stopping; try again later.")
        }
        if let task = opening[name] { return try await task.value }
        let databaseName = name.databaseName
        guard isCreated || databaseNames.contains(databaseName) else { return nil }
        guard databaseNames.contains(databaseName) || databaseNames.count < tableCountMax else {
            throw Refusal(
                .forbidden,
                "There are \(tableCountMax) tables already, which is this server's limit.")
        }
        let isNew = databaseNames.insert(databaseName).inserted
        let directory = directory
        let task = Task {
            let configuration = Database.OpenDatabaseConfiguration(
                name: databaseName, fileLocation: directory)
            guard let database = try await Database.open(with: configuration, create: true) else {
                preconditionFailure("A database that may be made is always opened.")
            }
            return Table(database: database)
        }
        opening[name] = task
        do {
            return try await task.value
        } catch {
            // The next request tries again: the disk may have room by then.
            opening[name] = nil
            if isNew { databaseNames.remove(databaseName) }
            throw error
        }
    }

    /// Closes all databases; writes that are under way are finished.
    func close() async {
        isClosed = true
        let tasks = opening.values
        opening = [:]
        for task in tasks {
            if let table = try? await task.value { await table.database.close() }
        }
    }
}
