import Foundation
import Settle
import SettlePrimitives
import Synchronization

/// Tables that are databases in one directory, opened on first use.
///
/// As an actor it opens each database once, however many requests ask for it at the same time.
actor LMDBTableStore: TableStore {
    private let directory: URL
    private let tableCountMax: Int
    private let indexes: (@Sendable (TableName) -> [[String]])?
    private let durability: Database.Durability
    private var opening: [TableName: Task<LMDBTable, any Error>] = [:]
    private var databaseNames: Set<String>
    private var isClosed = false
    /// The tables that are open, for those who ask without waiting for their turn.
    private nonisolated let opened = Lock<[TableName: LMDBTable]>([:])
    /// Nil for a store that is only read.
    private let served: ServedDirectory?
    private var room: RoomCheck
    private let threads: WorkThreads

    /// Prepares the directory, making it when it is not there.
    ///
    /// - Parameters:
    ///   - directory: Where the databases lie.
    ///   - tableCountMax: How many tables there may be.
    ///   - indexes: The paths that are to have an index, for each table; nil to leave indexes as they
    ///     are.
    ///   - durability: When a write counts as stored.
    ///   - isServed: Whether no other server may be at work in it; false for a store that is only
    ///     read.
    ///   - turns: The turns in which long reads go on.
    /// - Throws: ``ServerError`` with `directoryUnusable` when it is none of this machine, and before
    ///   anything is made, or cannot be made, read or written, with `directoryInUse` when a server is at work in it.
    init(
        directory: URL, tableCountMax: Int, indexes: (@Sendable (TableName) -> [[String]])?,
        durability: Database.Durability = .full,
        isServed: Bool = true, turns: WorkTurns = WorkTurns()
    ) throws {
        if let fault = FileLocation.fault(of: directory) {
            throw ServerError(
                .directoryUnusable,
                "The directory '\(FileLocation.text(of: directory))' \(fault); give the URL of a "
                    + "directory on this machine, as URL(fileURLWithPath:) makes it.")
        }
        self.directory = directory
        self.tableCountMax = tableCountMax
        self.indexes = indexes
        self.durability = durability
        threads = WorkThreads(trialCount: WorkThreads.standardTrialCount, turns: turns)
        room = RoomCheck(directory)
        try Self.reaching(directory) {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        }
        guard FileManager.default.isWritableFile(atPath: directory.path) else {
            throw ServerError(
                .directoryUnusable,
                "The directory '\(directory.path)' cannot be written; change its rights or "
                    + "choose another.")
        }
        served = isServed ? try ServedDirectory(directory) : nil
        // Only now: until then another server may have made more.
        databaseNames = try Self.reaching(directory) {
            Set(try Database.allDatabaseNames(underLocation: directory))
        }
    }

    private static func reaching<Value>(_ directory: URL, _ body: () throws -> Value) throws
        -> Value
    {
        do {
            return try body()
        } catch {
            throw ServerError(
                .directoryUnusable,
                "The directory '\(directory.path)' cannot be used; choose one that can be "
                    + "written: \((error as NSError).localizedDescription)", cause: error)
        }
    }

    nonisolated func table(
        _ name: TableName, isCreated: Bool
    ) async throws -> (any StoredTable)? {
        if let table = opened.withLock({ $0[name] }) { return table }
        return try await open(name, isCreated: isCreated)
    }

    private func open(_ name: TableName, isCreated: Bool) async throws -> LMDBTable? {
        guard !isClosed else {
            throw Problem.stopping
        }
        if let task = opening[name] { return try await task.value }
        let databaseName = name.databaseName
        guard isCreated || databaseNames.contains(databaseName) else { return nil }
        guard databaseNames.contains(databaseName) || databaseNames.count < tableCountMax else {
            throw Problem.tooManyTables(tableCountMax)
        }
        let isNew = databaseNames.insert(databaseName).inserted
        let (directory, durability) = (directory, durability)
        let threads = threads
        let paths = indexes?(name)
        let task = Task {
            let configuration = Database.OpenDatabaseConfiguration(
                name: databaseName, fileLocation: directory, durability: durability)
            guard let database = try await Database.open(with: configuration, create: true) else {
                preconditionFailure("A database that may be made is always opened.")
            }
            do {
                let indexes = try await PathIndexes.open(paths, of: database)
                return LMDBTable(
                    name: name, database: database, indexes: indexes, threads: threads)
            } catch {
                await database.close()
                throw error
            }
        }
        opening[name] = task
        do {
            let table = try await task.value
            if !isClosed { opened.withLock { $0[name] = table } }
            return table
        } catch {
            // The next request tries again: the disk may have room by then.
            opening[name] = nil
            if isNew { databaseNames.remove(databaseName) }
            throw error
        }
    }

    func tableNames() async throws -> [TableName] {
        databaseNames.compactMap(TableName.init(databaseName:)).sorted { $0.text < $1.text }
    }

    func checkReadiness() async throws {
        guard !isClosed else { throw Problem.stopping }
        try room.run()
    }

    func close() async {
        isClosed = true
        opened.withLock { $0 = [:] }
        let tasks = opening.values
        opening = [:]
        for task in tasks {
            if let table = try? await task.value { await table.database.close() }
        }
        await threads.end()
        served?.release()
    }
}
