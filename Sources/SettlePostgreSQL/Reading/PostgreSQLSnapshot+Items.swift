import SettlePQ
import SettleServer

// Items have up to 16 MiB each, and libpq holds all rows of a statement at once: so each row may
// bring its part of the bound, and what has more is read on its own. The length of a text is known
// without reading it, however it is stored.
extension PostgreSQLSnapshot {
    /// How many rows the first statement of a walk asks for; each later one for twice as many.
    static let rowCountFirst = 64
    /// How many rows one statement asks for at most.
    static let rowCountMax = 512
    /// How many bytes the texts of one statement's items have at most, unless it is one item alone.
    static let bytesMax = 8 << 20

    /// The rows of the items behind an id, in the order of the bytes of their ids.
    ///
    /// - Parameters:
    ///   - id: Where to start, excluded; empty for the first.
    ///   - countMax: How many rows to bring at most.
    /// - Returns: Rows for ``ItemRow``; those with more than their part of ``bytesMax`` have no
    ///   texts.
    /// - Throws: ``PQError``.
    func rows(after id: String, countMax: Int) throws(PQError) -> PQResult {
        try connection.run(
            """
            SELECT id, CASE WHEN bytes <= $4 THEN members END, created_at, updated_at, version,
                deleted, CASE WHEN bytes <= $4 THEN departures END,
                CASE WHEN bytes <= $4 THEN attachments END, bytes
            FROM settle.items CROSS JOIN LATERAL (SELECT octet_length(members)::bigint
                + coalesce(octet_length(departures), 0)
                + coalesce(octet_length(attachments), 0) AS bytes) AS texts
            WHERE table_id = $1 AND id > $2 ORDER BY id LIMIT $3
            """, .integer(tableId), .text(id), .integer(Int64(countMax)),
            .integer(Self.share(of: countMax)))
    }

    /// The rows of items with some ids, in any order.
    ///
    /// - Parameters:
    ///   - ids: The ids, none with a U+0000.
    ///   - share: How many bytes the texts of an item may have to come along.
    /// - Returns: Rows for ``ItemRow``, none for items that are not there.
    /// - Throws: ``PQError``.
    func rows(of ids: [String], share: Int64) throws(PQError) -> PQResult {
        try connection.run(
            """
            SELECT id, CASE WHEN bytes <= $3 THEN members END, created_at, updated_at, version,
                deleted, CASE WHEN bytes <= $3 THEN departures END,
                CASE WHEN bytes <= $3 THEN attachments END, bytes
            FROM settle.items CROSS JOIN LATERAL (SELECT octet_length(members)::bigint
                + coalesce(octet_length(departures), 0)
                + coalesce(octet_length(attachments), 0) AS bytes) AS texts
            WHERE table_id = $1 AND id = ANY($2)
            """, .integer(tableId), .texts(ids), .integer(share))
    }

    /// Looks items up by their ids, in one statement, and reads those that are not large.
    ///
    /// - Parameter ids: The ids; one alone is read however large it is.
    /// - Returns: What was found, the large items in the order of `ids`.
    /// - Throws: ``DatabaseError`` with `corrupted` when a row is damaged; ``PQError``.
    func items(_ ids: [String]) throws -> ItemBatch {
        var batch = ItemBatch()
        for id in ids { batch.items[ItemKey(id)] = .some(nil) }
        // PostgreSQL has no texts with a U+0000: such an item is not there.
        let ids = ids.filter { !$0.utf8.contains(0) }
        let rows = try self.rows(of: ids, share: Self.share(of: ids.count))
        var sizes: [ItemKey: Int] = [:]
        for index in 0..<rows.count {
            let row = rows[index]
            let bytes = try ItemRow.bytes(row)
            guard ItemRow.isWhole(row) else {
                sizes[ItemKey(try row.text(0))] = bytes
                continue
            }
            let item = try ItemRow.item(row)
            batch.items[ItemKey(item.id)] = .some(item)
            batch.bytes += bytes
        }
        guard !sizes.isEmpty else { return batch }
        for id in ids {
            let key = ItemKey(id)
            guard let bytes = sizes.removeValue(forKey: key) else { continue }
            batch.items.removeValue(forKey: key)
            batch.large.add(LargeItems.Entry(id: id, bytes: bytes))
        }
        return batch
    }

    /// Reads items, however large they are, in one statement.
    ///
    /// - Returns: An entry for each id; nil for those that are not there.
    /// - Throws: ``DatabaseError`` with `corrupted` when a row is damaged; ``PQError``.
    func wholeItems(_ ids: [String]) throws -> [ItemKey: TableItem?] {
        var items: [ItemKey: TableItem?] = [:]
        for id in ids { items[ItemKey(id)] = .some(nil) }
        let rows = try self.rows(of: ids, share: .max)
        for index in 0..<rows.count {
            let item = try ItemRow.item(rows[index])
            items[ItemKey(item.id)] = .some(item)
        }
        return items
    }

    /// The item of a row, read on its own when it is large.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted` when a row is damaged; ``PQError``.
    func item(in row: PQRow, _ large: inout LargeItems) throws -> TableItem {
        if ItemRow.isWhole(row) { return try ItemRow.item(row) }
        let id = try row.text(0)
        guard let item = try large.item(ItemKey(id), from: self) else {
            // Nobody removes rows.
            throw StoreFailure.damagedItem(id)
        }
        return item
    }

    /// How many bytes one of some items may have to come together with the others.
    private static func share(of count: Int) -> Int64 {
        count > 1 ? Int64(bytesMax / count) : .max
    }
}
