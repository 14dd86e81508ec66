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
        var removed: [(key: IndexKey, id: String)] = []
        var added: [(key: IndexKey, id: String)] = []
        for (item, previous) in items {
            let before = previous.map(indexes.keys) ?? []
            let after = indexes.keys(of: item)
            removed += before.subtracting(after).map { ($0, item.id) }
            added += after.subtracting(before).map { ($0, item.id) }
        }
        if !removed.isEmpty {
            try connection.run(
                """
                DELETE FROM settle.keys k
                USING unnest($2::bigint[], $3::bytea[], $4::text[]) AS gone(number, key, id)
                WHERE k.table_id = $1 AND k.index_number = gone.number AND k.key = gone.key
                    AND k.id = gone.id
                """, parameters(removed, tableId))
        }
        if !added.isEmpty {
            try connection.run(
                """
                INSERT INTO settle.keys (table_id, index_number, key, id)
                SELECT $1, * FROM unnest($2::bigint[], $3::bytea[], $4::text[])
                ON CONFLICT DO NOTHING
                """, parameters(added, tableId))
        }
    }

    /// Brings the indexes of a table in step with the paths that are wanted: drops those that are
    /// not, builds those that are new, while writers of the table wait.
    ///
    /// - Throws: ``PQError``; ``DatabaseError`` when a row is damaged.
    /// - Complexity: All items when an index is new, some hundreds of them in memory.
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
        var items: [(TableItem, TableItem?)] = []
        try table.forEachItem(after: nil) { item in
            items.append((item, nil))
            if items.count == PostgreSQLSnapshot.rowCountMax {
                try move(items, indexes: indexes, to: table.connection, tableId: table.tableId)
                items = []
            }
            return true
        }
        try move(items, indexes: indexes, to: table.connection, tableId: table.tableId)
    }

    private static func parameters(
        _ rows: [(key: IndexKey, id: String)], _ tableId: Int64
    ) -> [PQValue] {
        [
            .integer(tableId), .integers(rows.map(\.key.number)),
            .byteStrings(rows.map(\.key.key)), .texts(rows.map(\.id)),
        ]
    }
}
