import Dispatch
import SettlePrimitives
import Synchronization

/// The open databases of the process: the one thing that is shared by all.
///
/// No lock is held while a database is opened, which may wait for other processes, or closed, because closing waits
/// for closures of the application (a write, a map), which may ask for databases themselves. A caller that wants a database that
/// is being opened or closed waits for the end of that.
enum DatabaseRegistry {
    private enum Entry {
        case open(Database)
        /// It is being opened, or closed.
        case changing(waiting: [CheckedContinuation<Void, Never>])
    }
    private static let entries = Lock<[DatabaseKey: Entry]>([:])

    /// The open database with a key, or a new one, which a thread of its own opens.
    ///
    /// Two callers get the same object: the second waits for what the first opens.
    static func database(
        for key: DatabaseKey, orOpen make: @escaping @Sendable () throws -> Database?
    ) async throws -> Database? {
        while true {
            let (isOurs, database) = entries.withLock { entries -> (Bool, Database?) in
                switch entries[key] {
                case .open(let database): return (false, database)
                case .changing: return (false, nil)
                case nil:
                    entries[key] = .changing(waiting: [])
                    return (true, nil)
                }
            }
            if let database { return database }
            guard isOurs else {
                await waitUntilChanged(key)
                continue
            }
            do {
                let database = try await onOwnThread(make)
                finishChange(of: key, to: database)
                return database
            } catch {
                finishChange(of: key, to: nil)
                throw error
            }
        }
    }

    /// The open database with a key; nil for one that is being opened or closed.
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
            let (isChanging, database) = entries.withLock { entries -> (Bool, Database?) in
                switch entries[key] {
                case .changing: return (true, nil)
                case .open(let database):
                    entries[key] = .changing(waiting: [])
                    return (false, database)
                case nil:
                    entries[key] = .changing(waiting: [])
                    return (false, nil)
                }
            }
            if isChanging {
                await waitUntilChanged(key)
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
            entries[key] = .changing(waiting: [])
            return true
        }
        if isOurs {
            _ = await finishClosing(key, database, then: {})
        } else {
            await waitUntilChanged(key)
        }
    }

    static func closeAll() async {
        for key in entries.withLock({ Array($0.keys) }) {
            // What is being opened is closed, too.
            await waitUntilChanged(key)
            if let database = database(for: key) { await close(database) }
        }
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
        finishChange(of: key, to: nil)
        return result
    }

    /// Says what a key has from now on, to those who wait for it as well.
    private static func finishChange(of key: DatabaseKey, to database: Database?) {
        let waiting = entries.withLock { entries -> [CheckedContinuation<Void, Never>] in
            guard case .changing(let waiting) = entries[key] else { return [] }
            entries[key] = database.map { .open($0) }
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private static func waitUntilChanged(_ key: DatabaseKey) async {
        await withCheckedContinuation { continuation in
            let isChanging = entries.withLock { entries in
                guard case .changing(let waiting) = entries[key] else { return false }
                entries[key] = .changing(waiting: waiting + [continuation])
                return true
            }
            if !isChanging { continuation.resume() }
        }
    }
}
