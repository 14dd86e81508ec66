import Foundation
import Settle
import SettleOData
import SettlePQ
import SettleServer
import SettleTableProtocol

/// A state of a table that lies in PostgreSQL: what one transaction sees.
class PostgreSQLSnapshot: TableSnapshot {
    let connection: PQConnection
    let tableId: Int64
    /// Ids that an index gave, in the order of their bytes: each is likely to be read soon.
    private var candidates: [ItemKey] = []
    /// Items that were looked up together with one that was asked for.
    private var readAhead = ItemBatch()
    /// Nil for a short read, and for a write.
    private let turn: WorkTurn?

    init(_ connection: PQConnection, tableId: Int64, turn: WorkTurn? = nil) {
        self.connection = connection
        self.tableId = tableId
        self.turn = turn
    }

    func checkCancellation() throws { try turn?.check() }

    /// Called before rows are read that changes of this transaction, not sent yet, may concern.
    func sendChanges() throws {}

    func item(_ id: String) throws -> TableItem? {
        let key = ItemKey(id)
        if let item = try readAhead.item(key, from: self) { return item }
        readAhead = ItemBatch()
        readAhead = try items(expected(after: key, id))
        return try readAhead.item(key, from: self) ?? nil
    }

    func forEachItem(after id: String?, _ body: (TableItem) throws -> Bool) throws {
        try sendChanges()
        // PostgreSQL has no texts with a U+0000. The ids behind one are those behind what comes
        // before the U+0000, as it is the lowest of all bytes.
        var last = id.map { String($0.unicodeScalars.prefix { $0.value != 0 }) }
        var count = Self.rowCountFirst
        while true {
            // No id is empty.
            let rows = try self.rows(after: last ?? "", countMax: count)
            var large = try LargeItems(in: rows)
            for index in 0..<rows.count {
                try checkCancellation()
                let item = try self.item(in: rows[index], &large)
                guard try body(item) else { return }
                last = item.id
            }
            guard rows.count == count else { return }
            count = min(count * 2, Self.rowCountMax)
        }
    }

    func lastTime() throws -> Int64 {
        try connection.run(
            "SELECT last_updated_at FROM settle.tables WHERE id = $1", .integer(tableId)
        ).first?.integer(0) ?? 0
    }

    /// The indexes of the table in this state.
    func indexes() throws -> IndexDefinitions {
        let row = try connection.run(
            "SELECT indexes FROM settle.tables WHERE id = $1", .integer(tableId)
        ).first
        return try IndexDefinitions(try row?.text(0) ?? "{}")
    }

    func indexedPaths() throws -> [[String]] { try indexes().paths }

    func ids(at path: [String], in ranges: [ODataKeyRange], countMax: Int) throws -> [String]? {
        guard let number = try indexes().numbers[path] else {
            preconditionFailure("There is no index at the path \(path).")
        }
        try sendChanges()
        var ids: [ItemKey: String] = [:]
        for range in ranges {
            try forEachKey(of: number, in: range) { id in
                ids[ItemKey(id)] = id
                return ids.count <= countMax
            }
            if ids.count > countMax { return nil }
        }
        candidates = ids.keys.sorted()
        return Array(ids.values)
    }

    func heldLength(
        of digest: AttachmentDigest, for owner: ContentOwner, now: Date
    ) throws -> Int? {
        let length = try connection.run(
            """
            SELECT c.length FROM settle.holds h
            JOIN settle.contents c ON c.table_id = h.table_id AND c.digest = h.digest
            WHERE h.table_id = $1 AND h.digest = $2 AND h.held_until > $3
                AND ($4 OR h.owner = sha256($5))
            LIMIT 1
            """, .integer(tableId), .text(digest.text), .integer(TableClock.microseconds(of: now)),
            .bool(owner.takesAll), .bytes(Array(owner.key.utf8))
        ).first?.integer(0)
        return length.map(Int.init)
    }

    func ids(having digest: AttachmentDigest, countMax: Int) throws -> [String] {
        try sendChanges()
        let rows = try connection.run(
            """
            SELECT id FROM settle.uses WHERE table_id = $1 AND digest = $2
            ORDER BY id LIMIT $3
            """, .integer(tableId), .text(digest.text), .integer(Int64(countMax)))
        return try (0..<rows.count).map { try rows[$0].text(0) }
    }

    func hasContent(_ attachment: AttachmentDescription, of id: String) throws -> Bool {
        try connection.run(
            "SELECT 1 FROM settle.contents WHERE table_id = $1 AND digest = $2",
            .integer(tableId), .text(attachment.digest.text)
        ).count > 0
    }

    /// The id, and the candidates behind it.
    private func expected(after key: ItemKey, _ id: String) -> [String] {
        var (low, high) = (0, candidates.count)
        while low < high {
            let middle = (low + high) / 2
            if candidates[middle] < key { low = middle + 1 } else { high = middle }
        }
        guard low < candidates.count, candidates[low] == key else { return [id] }
        return candidates[low...].prefix(Self.rowCountFirst).map {
            String(decoding: $0.bytes, as: UTF8.self)
        }
    }

    /// Walks the ids of an index, some of them more than once.
    private func forEachKey(
        of number: Int64, in range: ODataKeyRange, _ body: (String) throws -> Bool
    ) throws {
        var (key, id) = (range.lower, "")
        let count = 1_024
        while true {
            let rows = try connection.run(
                """
                SELECT key, id FROM settle.keys
                WHERE table_id = $1 AND index_number = $2 AND (key, id) > ($3, $4) AND key <= $5
                ORDER BY key, id LIMIT $6
                """, .integer(tableId), .integer(number), .bytes(key), .text(id),
                .bytes(range.upper), .integer(Int64(count)))
            for index in 0..<rows.count {
                id = try rows[index].text(1)
                guard try body(id) else { return }
            }
            guard rows.count == count else { return }
            key = try rows[count - 1].bytes(0)
        }
    }
}
