public import Foundation
public import Settle

extension Datastore {
    /// A datastore over a database that is open.
    ///
    /// The database may have other documents, too; entities and other documents cannot share an identifier. The index
    /// `entities` is added, and built when it is not there yet.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - device: What identifies this device among those that edit the same entities; nil for a UUID that is made once
    ///     and kept in the database. A copy of the database has the same one: the merge needs no different ones, but the
    ///     history tells devices apart by them.
    /// - Returns: The datastore.
    /// - Throws: ``DatastoreError`` with `indexExists`; ``/Settle/DatabaseError`` as `Database.addIndex(_:progress:)`; of one that was opened for
    ///   reading only and has no index, or one that is behind, what needs the index throws `readOnly`.
    public static func open(
        over database: Database, device: String? = nil
    ) async throws -> Datastore {
        let hub = database.scopedObject { EntityChangeHub() }
        try await hub.addIndex(to: database)
        database.addParticipant(hub)
        hub.setPruning(try database.read { try PruneRule(in: $0) }, of: database)
        let known =
            if let device { device } else {
                try await DeviceIdentifier.kept(in: database)
            }
        return Datastore(database, device: known, hub: hub)
    }

    /// Opens a store, or makes it when there is none.
    ///
    /// - Parameters:
    ///   - name: The name of its database; see ``/Settle/Database/Configuration/name``.
    ///   - url: The folder that the store lies in; nil for the platform's default. The store itself is ``url``.
    ///   - device: See ``open(over:device:)``.
    /// - Returns: The datastore.
    /// - Throws: ``/Settle/DatabaseError`` as ``/Settle/Database/openOrCreate(_:)``.
    public static func load(
        name: String, url: URL? = nil, device: String? = nil
    ) async throws -> Datastore {
        try await load(
            Database.OpenDatabaseConfiguration(name: name, fileLocation: url), device: device)
    }

    /// Opens a store as a configuration says, or makes it when there is none.
    ///
    /// - Parameters:
    ///   - configuration: Which database, and how.
    ///   - device: See ``open(over:device:)``.
    /// - Returns: The datastore.
    /// - Throws: ``/Settle/DatabaseError`` as ``/Settle/Database/openOrCreate(_:)``.
    public static func load(
        _ configuration: Database.OpenDatabaseConfiguration, device: String? = nil
    ) async throws -> Datastore {
        try await open(over: try await Database.openOrCreate(configuration), device: device)
    }

    /// Opens a store and reads an interchange into it.
    ///
    /// - Parameters:
    ///   - name: The name of its database.
    ///   - url: The folder that the store lies in; nil for the platform's default.
    ///   - json: The interchange; see ``decode(json:date:)``.
    ///   - device: See ``open(over:device:)``.
    /// - Returns: The datastore.
    /// - Throws: As ``load(name:url:device:)`` and ``decode(json:date:)``; the store is there then, without what was read.
    public static func load(
        name: String, url: URL? = nil, json: Data, device: String? = nil
    ) async throws -> Datastore {
        let datastore = try await load(name: name, url: url, device: device)
        try await datastore.decode(json: json)
        return datastore
    }

    /// Where the store is: the folder of its database.
    public var url: URL { StoreLocation(database.configuration).url }

    /// Returns when everything that was begun before is stored.
    ///
    /// Each operation is stored when it returns, so this is for those that other tasks have begun.
    ///
    /// - Throws: What the database throws.
    public func save() async throws {
        try await database.write { _ in }
    }

    /// Removes all entities with their history from this device, as if they had never been here.
    ///
    /// Other documents stay. Nothing is deleted elsewhere: a replication may bring everything back. What was not sent yet is
    /// lost.
    ///
    /// - Throws: What the database throws. After a crash in between, calling it again removes the others.
    /// - Complexity: O(n) for n entities and superseded entries, in transactions of 1,000.
    public func reset() async throws {
        var last: String?
        while true {
            let page = try database.read { snapshot in
                var ids: [String] = []
                var end: String?
                try snapshot.forEachDocument(after: last, includingDeleted: true) { document in
                    end = document.id
                    // A deleted document has no members, so those of entries are known by their identifiers.
                    if document[json: EntityFormat.format] != nil
                        || EntryIdentifier.isOne(document.id)
                            && document.json.keys.allSatisfy({ $0 == "id" })
                    {
                        ids.append(document.id)
                    }
                    return ids.count < 1_000
                }
                return (ids: ids, end: end)
            }
            guard let end = page.end else { return }
            let ids = page.ids
            try await database.write { _ = try $0.purge(documentsWithIds: ids) }
            last = end
        }
    }

    /// Removes a store; one that is open is closed first.
    ///
    /// - Parameters:
    ///   - url: The store, as ``url`` gives it: a folder `name.settle`.
    ///   - removeFiles: False to keep the file, without the entities and their history.
    /// - Throws: ``DatastoreError`` with `storeNotFound` when there is none, or the URL cannot be that of one; what the
    ///   database throws: ``/Settle/DatabaseError`` with `databaseInUse` when another process has the store open, whose
    ///   file then stays.
    public static func destroy(storeAt url: URL, removeFiles: Bool = true) async throws {
        let configuration = try StoreLocation(url).configuration
        if removeFiles { return try await Database.delete(configuration) }
        let isOpen = Database.openedWith(configuration) != nil
        let datastore = try await load(configuration)
        try await datastore.reset()
        if !isOpen { await datastore.database.close() }
    }

    /// Puts a copy of one store in the place of another.
    ///
    /// The store that is replaced is closed, if it is open. The copy is whole and on the disk before the old one goes; after a
    /// crash in between the copy lies beside it in a folder `replacing`, and calling this again puts it right.
    ///
    /// - Parameters:
    ///   - url: The store to replace, as ``url`` gives it; it need not be there.
    ///   - source: The store to copy, as ``url`` gives it. It may be in use.
    /// - Throws: ``DatastoreError`` with `storeNotFound` when there is nothing to copy, or a URL cannot be that of a store;
    ///   ``/Settle/DatabaseError`` as ``/Settle/Database/backup(to:name:progress:)``, and with `databaseInUse` when another
    ///   process has the store open that is to be replaced; it is as before then.
    public static func replace(storeAt url: URL, withStoreAt source: URL) async throws {
        let target = try StoreLocation(checking: url)
        let original = try StoreLocation(source)
        let isOpen = Database.openedWith(original.configuration) != nil
        let database = try await Database.openOrCreate(original.configuration)
        let beside = StoreLocation(
            name: target.name,
            folder: target.folder.appendingPathComponent("replacing", isDirectory: true))
        try await Database.delete(beside.configuration)
        do {
            try await database.backup(to: beside.folder, name: beside.name)
        } catch {
            if !isOpen { await database.close() }
            throw error
        }
        if !isOpen { await database.close() }
        try await Database.delete(target.configuration)
        try FileManager.default.moveItem(at: beside.url, to: target.url)
        try FileManager.default.removeItem(at: beside.folder)
    }
}
