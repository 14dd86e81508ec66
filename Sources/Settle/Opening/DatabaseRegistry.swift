import Dispatch
import SettlePrimitives
import Synchronization

/// The open databases of the process: the one thing that is shared by all.
///
/// No lock is held while a database is closed, because closing waits for closures of the
/// application (a write, a map), which may ask for databases themselves. Whoever wants to open a database that is
/// being closed waits for the end of that.
enum DatabaseRegistry {
    private enum Entry {
        case open(Database)
        case closing(waiting: [CheckedContinuation<Void, Never>])
    }
    private static let entries = Lock<[DatabaseKey: Entry]>([:])

    /// The open database with a key, or a new one.
    ///
    /// The lock is held while the files are opened, so that two callers get the same object;
    /// opening calls nothing of the application.
    static func database(
        for key: DatabaseKey, orOpen make: () throws -> Database?
    ) async throws -> Database? {
        while true {
            let found = try entries.withLock { entries -> (isClosing: Bool, Database?) in
                switch entries[key] {
                case .open(let database): return (false, database)
                case .closing: return (true, nil)
                case nil:
                    let database = try make()
                    entries[key] = database.map { .open($0) }
                    return (false, database)
                }
            }
            guard found.isClosing else { return found.1 }
            await waitUntilClosed(key)
        }
    }

    static func database(for key: DatabaseKey) -> Database? {
        entries.withLock { entries in
            if case .open(let database) = entries[key] { database } else { nil }
        }
    }

    /// Closes the database with a key, if it is open, and then runs a closure before anybody can
    /// open it again.
    static func close(
        _ key: DatabaseKey, then body: @escaping @Sendable () throws -> Void = {}
    ) async throws {
        while true {
            let (isClosing, database) = entries.withLock { entries -> (Bool, Database?) in
                switch entries[key] {
                case .closing: return (true, nil)
                case .open(let database):
                    entries[key] = .closing(waiting: [])
                    return (false, database)
                case nil:
                    entries[key] = .closing(waiting: [])
                    return (false, nil)
                }
            }
            if isClosing {
                await waitUntilClosed(key)
                continue
            }
            return try await finishClosing(key, database, then: body).get()
        }
    }

    /// Closes `database` unless it was closed before (and perhaps opened anew).
    static func close(_ database: Database) async {
        let key = database.configuration.key
        let isOurs = entries.withLock { entries in
            guard case .open(let found) = entries[key], found === database else { return false }
            entries[key] = .closing(waiting: [])
            return true
        }
        if isOurs {
            _ = await finishClosing(key, database, then: {})
        } else {
            await waitUntilClosed(key)
        }
    }

    static func closeAll() async {
        let open = entries.withLock { entries in
            entries.values.compactMap { entry in
                if case .open(let database) = entry { database } else { nil }
            }
        }
        for database in open { await close(database) }
    }

    /// Runs the closing, which blocks, on a thread where that disturbs nobody.
    private static func finishClosing(
        _ key: DatabaseKey, _ database: Database?, then body: @escaping @Sendable () throws -> Void
    ) async -> Result<Void, any Error> {
        await database?.endIndexJobs()
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                database?.shutDown()
                continuation.resume(returning: Result { try body() })
            }
        }
        let waiting = entries.withLock { entries -> [CheckedContinuation<Void, Never>] in
            guard case .closing(let waiting) = entries.removeValue(forKey: key) else { return [] }
            return waiting
        }
        for continuation in waiting { continuation.resume() }
        return result
    }

    private static func waitUntilClosed(_ key: DatabaseKey) async {
        await withCheckedContinuation { continuation in
            let isClosing = entries.withLock { entries in
                guard case .closing(let waiting) = entries[key] else { return false }
                entries[key] = .closing(waiting: waiting + [continuation])
                return true
            }
            if !isClosing { continuation.resume() }
        }
    }
}
