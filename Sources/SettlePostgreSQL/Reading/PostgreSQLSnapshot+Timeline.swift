import SettlePQ
import SettleServer

extension PostgreSQLSnapshot {
    func forEachEntry(
        in times: ClosedRange<Int64>, checkingMembers _: Bool,
        _ body: (TimelineEntry, () throws -> TableItem?) throws -> Bool
    ) throws {
        try sendChanges()
        var start = times.lowerBound
        var count = Self.rowCountFirst
        while start <= times.upperBound {
            let entries = try entries(in: start...times.upperBound, countMax: count)
            // The items of this and all later entries, once one of them is asked for.
            var items = ItemBatch()
            for (place, entry) in entries.enumerated() {
                let goesOn = try body(entry) {
                    let key = ItemKey(entry.id)
                    if let item = try items.item(key, from: self) { return item }
                    items = try self.items(entries[place...].map(\.id))
                    return try items.item(key, from: self) ?? nil
                }
                guard goesOn else { return }
            }
            guard entries.count == count, let last = entries.last, last.time < .max else { return }
            start = last.time + 1
            count = min(count * 2, Self.rowCountMax)
        }
    }

    /// The first entries of the timeline in a span.
    private func entries(in times: ClosedRange<Int64>, countMax: Int) throws -> [TimelineEntry] {
        let rows = try connection.run(
            """
            SELECT time, deleted, is_mark, id FROM (
                (SELECT updated_at AS time, deleted, false AS is_mark, id FROM settle.items
                    WHERE table_id = $1 AND updated_at BETWEEN $2 AND $3
                    ORDER BY updated_at LIMIT $4)
                UNION ALL
                (SELECT updated_at, false, true, id FROM settle.marks
                    WHERE table_id = $1 AND updated_at BETWEEN $2 AND $3
                    ORDER BY updated_at LIMIT $4)
            ) AS entries ORDER BY time LIMIT $4
            """, .integer(tableId), .integer(times.lowerBound), .integer(times.upperBound),
            .integer(Int64(countMax)))
        return try (0..<rows.count).map { index in
            let row = rows[index]
            return TimelineEntry(
                time: try row.integer(0), isDeleted: try row.bool(1), isMark: try row.bool(2),
                id: try row.text(3))
        }
    }
}
