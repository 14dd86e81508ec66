import Settle

extension PushQueue {
    /// Stores the rows of all remotes that waited for an identifier which is free now.
    ///
    /// - Parameter database: The database.
    /// - Throws: What the database throws when it cannot be read or written.
    /// - Complexity: A look at each row that waits.
    static func storeFreed(_ database: Database) async throws {
        let freed = try database.read { snapshot in
            try RemoteRecord.all(in: snapshot).compactMap { identifier, record in
                let tables = try RemoteTables(record, in: snapshot)
                let ids = try tables.blockedIds().filter {
                    try !tables.isTaken($0, in: snapshot)
                }
                return ids.isEmpty ? nil : (identifier, ids)
            }
        }
        for (identifier, ids) in freed {
            let pushQueue = ReplicationCenter.of(database).pushQueue(for: identifier, of: database)
            try await pushQueue.write(database) { transaction, tables in
                for id in ids {
                    guard let entry = try tables.entry(id), entry.isBlocked,
                        let seen = entry.seen, try !tables.isTaken(id, in: transaction)
                    else { continue }
                    try take(
                        seen, id, replacing: entry, in: transaction, tables, origin: identifier)
                }
            }
        }
    }
}
