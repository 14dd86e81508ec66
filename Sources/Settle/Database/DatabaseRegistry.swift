import Synchronization

/// The open databases of the process: the one thing that is shared by all.
enum DatabaseRegistry {
    private static let open = Mutex<[DatabaseKey: Database]>([:])

    /// The open database with a key, or a new one.
    ///
    /// The lock is held while the files are opened, so that two callers get the same object.
    static func database(
        for key: DatabaseKey, orOpen make: () throws -> Database?
    ) throws -> Database? {
        try open.withLock { open in
            if let database = open[key] { return database }
            let database = try make()
            if let database { open[key] = database }
            return database
        }
    }

    static func database(for key: DatabaseKey) -> Database? {
        open.withLock { $0[key] }
    }

    /// Closes the database with a key, if it is open, and then runs a closure before anybody can
    /// open it again.
    static func close(_ key: DatabaseKey, then body: () throws -> Void = {}) throws {
        try open.withLock { open in
            open.removeValue(forKey: key)?.shutDown()
            try body()
        }
    }

    /// Closes `database` unless it was closed before (and perhaps opened anew).
    static func close(_ database: Database) {
        open.withLock { open in
            let key = database.configuration.key
            guard open[key] === database else { return }
            open[key] = nil
            database.shutDown()
        }
    }

    static func closeAll() {
        open.withLock { open in
            for database in open.values { database.shutDown() }
            open = [:]
        }
    }
}
