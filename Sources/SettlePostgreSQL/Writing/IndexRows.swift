import SettlePQ
import SettleServer

/// The rows of `settle.keys`.
enum IndexRows {
    /// Brings the keys of items in step with their members.
    ///
    /// - Parameters:
    ///   - items: Each item with what the database has of it.
    ///   - indexes: The indexes to bring in step.
    ///   - connection: The connection, in a transaction that holds the table's lock.
    ///   - tableId: The table.
    /// - Throws: ``PQError``.
    static func move(
        _ items: [(item: TableItem, previous: TableItem?)], indexes: IndexDefinitions,
        to connection: PQConnection, tableId: Int64
    ) throws {
        var changes = IndexChanges(indexes: indexes, connection: connection, tableId: tableId)
        for (item, previous) in items { try changes.move(item, from: previous) }
        try changes.finish()
    }

    /// Brings the indexes of a table in step with the paths that are wanted: drops those that are
    /// not, builds those that are new, while writers of the table wait.
    ///
    /// - Throws: ``PQError``; ``DatabaseError`` when a row is damaged.
    /// - Complexity: All items when an index is new; some megabytes of them, or the largest, are in
    ///   memory.
    static func prepare(
        _ paths: [[String]], tableId: Int64, _ connection: PQConnection
    ) throws {
        guard try !areInStep(with: paths, tableId: tableId, connection) else { return }
        try connection.transaction(.write) {
            let table = try PostgreSQLTransaction(locking: tableId, connection)
            var indexes = try table.indexes()
            let (removed, added) = indexes.change(to: paths)
            if !removed.isEmpty {
                try connection.run(
                    "DELETE FROM settle.keys WHERE table_id = $1 AND index_number = ANY($2)",
                    .integer(tableId), .integers(removed))
            }
            if !added.isEmpty { try build(indexes.only(added), table) }
            try connection.run(
                "UPDATE settle.tables SET indexes = $2 WHERE id = $1", .integer(tableId),
                .text(indexes.text))
        }
    }

    /// Whether a table has indexes at some paths, and no others.
    ///
    /// - Throws: ``PQError``.
    static func areInStep(
        with paths: [[String]], tableId: Int64, _ connection: PQConnection
    ) throws -> Bool {
        let found = try PostgreSQLSnapshot(connection, tableId: tableId).indexes()
        return Set(found.paths) == Set(paths)
    }

    private static func build(_ indexes: IndexDefinitions, _ table: PostgreSQLTransaction) throws {
        var changes = IndexChanges(
            indexes: indexes, connection: table.connection, tableId: table.tableId)
        try table.forEachItem(after: nil) { item in
            try changes.move(item, from: nil)
            return true
        }
        try changes.finish()
    }
}
