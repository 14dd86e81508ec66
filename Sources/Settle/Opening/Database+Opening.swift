public import Foundation

extension Database {
    /// Opens a database, or gives the object that is open already.
    ///
    /// It stays open, with its files and a thread for writing, until ``close()``, even when the last
    /// reference to it is released.
    ///
    /// - Parameters:
    ///   - configuration: Which database, and how. When it is open already, indexes it does not
    ///     know by name yet are added and the rest is as it was opened first.
    ///   - create: True to make the database when there is none, as a copy of
    ///     ``OpenDatabaseConfiguration/prebuilt`` if that is given; not with
    ///     ``OpenDatabaseConfiguration/isReadOnly``.
    /// - Returns: The database; nil when there is none and none was made.
    /// - Throws: ``DatabaseError`` with `invalidDatabaseName`, `invalidFileLocation` (also when there is
    ///   no prebuilt database where one is named), or `invalidIndex`; `notASettleDatabase`,
    ///   `newerFormat`, `foreignEngine`, or `corrupted` when the file cannot be used; `databaseInUse`
    ///   when one process writes and the other reads without locks; `permissionDenied`, `readOnly`,
    ///   `diskFull`, or `inputOutput` when the system refuses.
    public static func open(
        with configuration: OpenDatabaseConfiguration = .default, create: Bool = false
    ) async throws -> Database? {
        let key = configuration.key
        try key.check()
        try IndexRegistry.check(configuration.indexes)
        let create = create && !configuration.isReadOnly
        if create, let prebuilt = configuration.prebuilt {
            try await PrebuiltDatabase(prebuilt).copy(to: key)
        }
        let database = try await DatabaseRegistry.database(for: key) {
            guard create || key.exists else {
                try checkLocation(key)
                return nil
            }
            if create { try key.makeLocation() }
            return try Database(configuration, create: create)
        }
        if let database {
            try database.indexes.addMissing(configuration.indexes)
            database.indexes.addStored(try database.storedDefinitions())
            database.buildMissingIndexes()
        }
        if let database, !database.configuration.isReadOnly,
            try database.read({ try $0.hasWaitingContent })
        {
            // On a full disk nothing can be removed, and the database must open all the same.
            _ = try? await database.removeForgottenContent()
        }
        await database?.expirations.purgeOverdue()
        return database
    }

    /// Opens a database, which is made when there is none; see ``open(with:create:)``.
    ///
    /// - Parameter configuration: Which database, and how.
    /// - Returns: The database.
    /// - Throws: As ``open(with:create:)``; ``DatabaseError`` with `readOnly` when there is none and it is to
    ///   be opened for reading only.
    public static func openOrCreate(
        _ configuration: OpenDatabaseConfiguration = .default
    ) async throws -> Database {
        guard let database = try await open(with: configuration, create: true) else {
            throw DatabaseError(
                .readOnly,
                "There is no database '\(configuration.name)', and none is made when it is opened for "
                    + "reading only.")
        }
        return database
    }

    /// The database that is open with this name and location; nil when it is not open.
    public static func openedWith(_ configuration: Configuration) -> Database? {
        DatabaseRegistry.database(for: configuration.key)
    }

    /// Removes a database from the disk, closing it first if it is open.
    ///
    /// One that is not there is left alone. A crash in between leaves the whole database, or none.
    ///
    /// - Throws: ``DatabaseError`` with `invalidDatabaseName` or `invalidFileLocation`; `databaseInUse` when another
    ///   process has it open: it is closed here and otherwise as before; `inputOutput` when its files cannot be removed.
    public static func delete(_ configuration: Configuration) async throws {
        let key = configuration.key
        try key.check()
        try await DatabaseRegistry.close(key) { try key.removeFiles() }
    }

    /// The names of the databases in a directory, sorted; none when there is no such directory.
    ///
    /// Among them are those that this process may not look into; opening them says so.
    ///
    /// - Throws: ``DatabaseError`` with `invalidFileLocation` when the URL is not that of a
    ///   directory, or the directory cannot be read.
    public static func allDatabaseNames(underLocation location: URL) throws -> [String] {
        try FileLocation.check(location)
        let path = DatabaseKey.resolved(location)
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let entries: [String]
        do {
            entries = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw DatabaseError(
                .invalidFileLocation,
                "The directory '\(path)' cannot be read: \(error.localizedDescription)",
                cause: error)
        }
        return entries.compactMap { DatabaseKey.name(ofEntry: $0) }
            .filter { DatabaseKey(name: $0, location: location).mayExist }
            .sorted()
    }

    /// Closes every open database, before the process ends for example.
    public static func prepareForShutdown() async {
        await DatabaseRegistry.closeAll()
    }

    /// Finishes the writes that are under way, breaks off the building of indexes, ends observers and
    /// feeds, and closes the files.
    ///
    /// A map closure is waited for until it is done with the document it has in hand, but called
    /// with no other one: when this returns, no map closure runs any more. A build that was broken
    /// off goes on where it was when the database is opened again. A map or write closure must not
    /// wait for this. Later calls on this object throw ``DatabaseError`` with `databaseClosed`; opening the same
    /// configuration again gives a new object. Closing twice does nothing.
    public func close() async {
        await DatabaseRegistry.close(self)
    }

    /// Closes the database and removes it from the disk.
    ///
    /// - Throws: ``DatabaseError`` with `databaseInUse` when another process has it open: it is closed here and
    ///   otherwise as before; `inputOutput` when its files cannot be removed.
    public func delete() async throws {
        try await Database.delete(configuration)
    }

    /// Refuses a location where a database may be that this process cannot see.
    private static func checkLocation(_ key: DatabaseKey) throws(DatabaseError) {
        do {
            _ = try FileManager.default.attributesOfItem(atPath: key.dataFile.path)
        } catch CocoaError.fileReadNoPermission {
            throw DatabaseError(
                .permissionDenied,
                "The directory '\(key.directory.path)', or one above it, may not be looked into; "
                    + "check owner and mode.")
        } catch {
            // It is not there.
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: key.path)
        if let attributes, attributes[.type] as? FileAttributeType != .typeDirectory {
            throw DatabaseError(
                .invalidFileLocation, "'\(key.path)' is a file; name the directory to look in.")
        }
    }
}
