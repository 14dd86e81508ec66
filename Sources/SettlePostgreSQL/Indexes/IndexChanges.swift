import SettlePQ
import SettleServer

/// Changes to the rows of `settle.keys`, sent in statements of a bounded size.
struct IndexChanges {
    /// The indexes to bring in step.
    let indexes: IndexDefinitions
    /// The connection, in a transaction that holds the table's lock.
    let connection: PQConnection
    let tableId: Int64
    private var removed = Rows()
    private var added = Rows()

    init(indexes: IndexDefinitions, connection: PQConnection, tableId: Int64) {
        self.indexes = indexes
        self.connection = connection
        self.tableId = tableId
    }

    /// Brings the keys of an item in step with its members.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - previous: What the database has of it; nil for a new one.
    /// - Throws: ``PQError``.
    mutating func move(_ item: TableItem, from previous: TableItem?) throws {
        let before = previous.map(indexes.keys) ?? []
        let after = indexes.keys(of: item)
        removed.add(before.subtracting(after), of: item.id)
        added.add(after.subtracting(before), of: item.id)
        if removed.bytes >= Self.statementBytes { try sendRemoved() }
        if added.bytes >= Self.statementBytes { try sendAdded() }
    }

    /// Sends what was not sent yet.
    ///
    /// - Throws: ``PQError``.
    mutating func finish() throws {
        try sendRemoved()
        try sendAdded()
    }

    /// How many bytes the rows of one statement have, but for the last item.
    private static let statementBytes = 4 << 20

    private mutating func sendRemoved() throws {
        guard !removed.ids.isEmpty else { return }
        try connection.run(
            """
            DELETE FROM settle.keys k
            USING unnest($2::bigint[], $3::bytea[], $4::text[]) AS gone(number, key, id)
            WHERE k.table_id = $1 AND k.index_number = gone.number AND k.key = gone.key
                AND k.id = gone.id
            """, removed.parameters(tableId))
        removed = Rows()
    }

    private mutating func sendAdded() throws {
        guard !added.ids.isEmpty else { return }
        try connection.run(
            """
            INSERT INTO settle.keys (table_id, index_number, key, id)
            SELECT $1, * FROM unnest($2::bigint[], $3::bytea[], $4::text[])
            ON CONFLICT DO NOTHING
            """, added.parameters(tableId))
        added = Rows()
    }

    private struct Rows {
        var keys: [IndexKey] = []
        var ids: [String] = []
        var bytes = 0

        mutating func add(_ new: Set<IndexKey>, of id: String) {
            for key in new {
                keys.append(key)
                ids.append(id)
                // The number, and what stands before each value of a list.
                bytes += key.key.count + id.utf8.count + 20
            }
        }

        func parameters(_ tableId: Int64) -> [PQValue] {
            [
                .integer(tableId), .integers(keys.map(\.number)), .byteStrings(keys.map(\.key)),
                .texts(ids),
            ]
        }
    }
}
