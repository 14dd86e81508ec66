import Logging
import Settle
import SettlePQ
import SettleServer

/// Tables in one PostgreSQL database, which any number of processes may serve at once.
///
/// As an actor it looks up each table once, however many requests ask for it at the same time.
actor PostgreSQLTableStore: TableStore {
    private let connections: StoreConnections
    private let settings: ServerStore.Settings
    private let logger: Logger
    private let signals = ChangeSignals()
    /// Twice as many as usual: for a part of its time a read waits for PostgreSQL.
    private let turns = WorkTurns(count: 2 * WorkTurns.standardCount)
    private let listener: PQListener
    private var opening: [TableName: Task<PostgreSQLTable?, any Error>] = [:]
    private var isClosed = false

    /// Connects, and makes or checks the schema.
    ///
    /// - Parameters:
    ///   - configuration: The database.
    ///   - settings: What the server tells its store.
    /// - Throws: ``DatabaseError`` with `inputOutput` when the database cannot be reached or
    ///   refuses, `newerFormat` and `notASettleDatabase`.
    init(_ configuration: PostgreSQLConfiguration, settings: ServerStore.Settings) async throws {
        do {
            let endpoint = try configuration.endpoint()
            connections = StoreConnections(
                endpoint, readerCount: configuration.readerCount,
                writerCount: configuration.writerCount)
            self.settings = settings
            logger = configuration.logger
            listener = PQListener(endpoint: endpoint, channel: ChangeSignals.channel)
        } catch {
            throw StoreFailure.atStart(error)
        }
        do {
            try await connections.writing.perform { try Schema.prepare($0) }
        } catch {
            listener.close()
            await connections.close()
            throw (error as? PQError).map(StoreFailure.atStart) ?? error
        }
        let (signals, notifications) = (signals, listener.notifications)
        Task { await signals.follow(notifications) }
    }

    func table(_ name: TableName, isCreated: Bool) async throws -> (any StoredTable)? {
        guard !isClosed else { throw Problem.stopping }
        while let task = opening[name] {
            if let table = try await task.value { return table }
            // A table that is not there may be made at any time, by another process, too.
            if opening[name] == task { opening[name] = nil }
        }
        let task = Task { try await self.open(name, isCreated: isCreated) }
        opening[name] = task
        do {
            let table = try await task.value
            if table == nil, opening[name] == task { opening[name] = nil }
            return table
        } catch {
            if opening[name] == task { opening[name] = nil }
            throw error
        }
    }

    func tableNames() async throws -> [TableName] {
        try await StoreFailure.translating {
            let names = try await connections.reading.perform { connection in
                let rows = try connection.run("SELECT name FROM settle.tables ORDER BY name")
                return try (0..<rows.count).map { try rows[$0].text(0) }
            }
            return names.compactMap { try? TableName($0) }
        }
    }

    func checkReadiness() async throws {
        guard !isClosed else { throw Problem.stopping }
        let pool = connections.probing
        let isReady = try await StoreFailure.translating {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    let isStandby = try await pool.perform { connection in
                        try connection.run("SELECT pg_is_in_recovery()::text")[0].text(0) == "true"
                    }
                    guard !isStandby else {
                        throw StoreFailure.unavailable(
                            "The database is a standby, which takes no writes; name the primary.")
                    }
                    return true
                }
                group.addTask {
                    try await Task.sleep(for: .seconds(2))
                    return false
                }
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
        }
        guard isReady else {
            throw StoreFailure.unavailable(
                "The database cannot be reached just now; try again later.")
        }
    }

    func close() async {
        isClosed = true
        let tasks = opening.values
        opening = [:]
        for task in tasks {
            if let table = try? await task.value { await table.writes.drained() }
        }
        signals.close()
        listener.close()
        await connections.close()
    }

    /// Finds a table, or makes it, and brings its indexes in step.
    private func open(_ name: TableName, isCreated: Bool) async throws -> PostgreSQLTable? {
        let (countMax, paths) = (settings.tableCountMax, settings.indexes?(name))
        let id: Int64? = try await StoreFailure.translating {
            // Most tables are there and as they should be: then no writer is kept waiting for them.
            let found = try await connections.reading.perform { connection in
                try TableRows.id(of: name, connection).map { id in
                    let isInStep = try paths.map {
                        try IndexRows.areInStep(with: $0, tableId: id, connection)
                    }
                    return (id: id, isInStep: isInStep ?? true)
                }
            }
            if let found, found.isInStep { return found.id }
            guard found != nil || isCreated else { return nil }
            return try await connections.writing.perform { connection in
                let id = try TableRows.id(
                    of: name, isCreated: isCreated, countMax: countMax, connection)
                if let id, let paths { try IndexRows.prepare(paths, tableId: id, connection) }
                return id
            }
        }
        guard let id else { return nil }
        logger.debug("table", metadata: ["table": "\(name.text)"])
        return PostgreSQLTable(
            name: name, id: id, connections: connections, signals: signals, turns: turns)
    }
}
