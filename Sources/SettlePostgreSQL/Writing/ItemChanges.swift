import SettleOData
import SettlePQ
import SettleServer
import SettleTableProtocol

/// Items that were saved and not sent to the database yet.
struct ItemChanges {
    /// One item, and what the database has of it.
    private struct Change {
        var item: TableItem
        var previous: TableItem?
    }

    private var changes: [ItemKey: Change] = [:]

    var isEmpty: Bool { changes.isEmpty }
    var keys: [ItemKey] { Array(changes.keys) }
    var items: [TableItem] { changes.values.map(\.item) }

    /// An item as it was saved here; nil when it was not.
    func item(_ key: ItemKey) -> TableItem? { changes[key]?.item }

    /// Saves an item.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - previous: The item as it was until now; overlooked when it was saved here before.
    mutating func save(_ item: TableItem, over previous: TableItem?) {
        let key = ItemKey(item.id)
        changes[key] = Change(item: item, previous: changes[key].map(\.previous) ?? previous)
    }

    /// Takes later changes in.
    mutating func merge(_ later: ItemChanges) {
        for (key, change) in later.changes {
            let previous = changes[key].map(\.previous) ?? change.previous
            changes[key] = Change(item: change.item, previous: previous)
        }
    }

    /// Brings the rows of all items, their marks, keys and uses of contents in step.
    ///
    /// - Throws: ``PQError``.
    func send(
        to connection: PQConnection, tableId: Int64, indexes: IndexDefinitions
    ) throws {
        // In one order for everybody, though the lock on the table should be enough.
        let changes = changes.sorted { $0.key < $1.key }.map(\.value)
        try sendRows(changes.map(\.item), connection, tableId)
        try sendMarks(changes, connection, tableId)
        if !indexes.numbers.isEmpty {
            try IndexRows.move(
                changes.map { ($0.item, $0.previous) }, indexes: indexes, to: connection,
                tableId: tableId)
        }
        try sendUses(changes, connection, tableId)
    }

    /// Sends the items in statements of a bounded size: PostgreSQL takes no message of 1 GiB.
    private func sendRows(
        _ items: [TableItem], _ connection: PQConnection, _ tableId: Int64
    ) throws {
        var rest = items[...]
        while !rest.isEmpty {
            let texts = ItemTexts.first(of: rest)
            try sendRows(Array(rest.prefix(texts.count)), texts, connection, tableId)
            rest = rest.dropFirst(texts.count)
        }
    }

    private func sendRows(
        _ items: [TableItem], _ texts: [ItemTexts], _ connection: PQConnection, _ tableId: Int64
    ) throws {
        try connection.run(
            """
            INSERT INTO settle.items (table_id, id, members, created_at, updated_at, version,
                deleted, departures, attachments)
            SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[],
                $7::boolean[], $8::text[], $9::text[])
            ON CONFLICT (table_id, id) DO UPDATE SET members = excluded.members,
                created_at = excluded.created_at, updated_at = excluded.updated_at,
                version = excluded.version, deleted = excluded.deleted,
                departures = excluded.departures, attachments = excluded.attachments
            """, .integer(tableId), .texts(items.map(\.id)), .texts(texts.map(\.members)),
            .integers(items.map(\.createdAt.microseconds)),
            .integers(items.map(\.updatedAt.microseconds)), .texts(items.map(\.version)),
            .bools(items.map(\.isDeleted)), .texts(texts.map(\.removals)),
            .texts(texts.map(\.attachments)))
    }

    /// A mark stands at each time at which the item left a channel, but its own `updatedAt`.
    private func sendMarks(
        _ changes: [Change], _ connection: PQConnection, _ tableId: Int64
    ) throws {
        var removed: [Int64] = []
        var added: [(time: Int64, id: String)] = []
        for change in changes {
            let before = change.previous.map(Self.marks) ?? []
            let after = Self.marks(change.item)
            removed += before.subtracting(after)
            added += after.subtracting(before).sorted().map { ($0, change.item.id) }
        }
        if !removed.isEmpty {
            try connection.run(
                "DELETE FROM settle.marks WHERE table_id = $1 AND updated_at = ANY($2)",
                .integer(tableId), .integers(removed.sorted()))
        }
        if !added.isEmpty {
            try connection.run(
                """
                INSERT INTO settle.marks (table_id, updated_at, id)
                SELECT $1, * FROM unnest($2::bigint[], $3::text[])
                ON CONFLICT (table_id, updated_at) DO UPDATE SET id = excluded.id
                """, .integer(tableId), .integers(added.map(\.time)), .texts(added.map(\.id)))
        }
    }

    private static func marks(_ item: TableItem) -> Set<Int64> {
        Set(item.removals.times.values).subtracting([item.updatedAt.microseconds])
    }

    private func sendUses(
        _ changes: [Change], _ connection: PQConnection, _ tableId: Int64
    ) throws {
        var removed: [(digest: String, id: String)] = []
        var added: [(digest: String, id: String)] = []
        for change in changes {
            let before = Set(change.previous?.attachments.map(\.digest.text) ?? [])
            let after = Set(change.item.attachments.map(\.digest.text))
            removed += before.subtracting(after).sorted().map { ($0, change.item.id) }
            added += after.subtracting(before).sorted().map { ($0, change.item.id) }
        }
        if !added.isEmpty {
            try connection.run(
                """
                INSERT INTO settle.uses (table_id, digest, id)
                SELECT $1, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING
                """, .integer(tableId), .texts(added.map(\.digest)), .texts(added.map(\.id)))
        }
        if !removed.isEmpty {
            try connection.run(
                """
                DELETE FROM settle.uses u USING unnest($2::text[], $3::text[]) AS gone(digest, id)
                WHERE u.table_id = $1 AND u.digest = gone.digest AND u.id = gone.id
                """, .integer(tableId), .texts(removed.map(\.digest)), .texts(removed.map(\.id)))
            try UnusedContents.remove(
                Set(removed.map(\.digest)).sorted(), from: connection, tableId: tableId)
        }
    }
}
