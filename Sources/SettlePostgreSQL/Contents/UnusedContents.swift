import SettlePQ

/// Contents that no item has and that wait for nobody.
///
/// They are removed under the table's lock, under which uses and holds come and go, too.
enum UnusedContents {
    /// Removes those of some contents that are not used any more.
    ///
    /// - Throws: ``PQError``.
    static func remove(
        _ digests: [String], from connection: PQConnection, tableId: Int64
    ) throws {
        try connection.run(
            """
            DELETE FROM settle.contents c WHERE c.table_id = $1 AND c.digest = ANY($2)
                AND NOT EXISTS (SELECT 1 FROM settle.uses u
                    WHERE u.table_id = $1 AND u.digest = c.digest)
                AND NOT EXISTS (SELECT 1 FROM settle.holds h
                    WHERE h.table_id = $1 AND h.digest = c.digest)
            """, .integer(tableId), .texts(digests))
    }

    /// Ends the waits that ended before a time, and removes what nobody has any more, and uploads
    /// that were begun a day before and never ended.
    ///
    /// - Parameters:
    ///   - time: In microseconds since 1970.
    ///   - connection: The connection, in a transaction that holds the table's lock.
    ///   - tableId: The table.
    /// - Throws: ``PQError``.
    static func lapse(
        before time: Int64, from connection: PQConnection, tableId: Int64
    ) throws {
        let ended = try connection.run(
            "DELETE FROM settle.holds WHERE table_id = $1 AND held_until < $2 RETURNING digest",
            .integer(tableId), .integer(time))
        if ended.count > 0 {
            let digests = try (0..<ended.count).map { try ended[$0].text(0) }
            try remove(Set(digests).sorted(), from: connection, tableId: tableId)
        }
        try connection.run(
            """
            DELETE FROM settle.contents
            WHERE table_id = $1 AND digest IS NULL AND begun_at < $2
            """, .integer(tableId), .integer(time - ContentUpload.waitMicroseconds))
    }
}
