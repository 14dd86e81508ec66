import GRDB

/// The index that is measured, as SQLite has it: on expressions, and covering.
extension GRDBPeer {
    /// `[type, address.city] -> amount`.
    func createIndex() throws {
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE INDEX \(GRDBPlaces.index)
                    ON document (\(GRDBPlaces.type), \(GRDBPlaces.city), \(GRDBPlaces.amount))
                    """)
        }
    }

    func dropIndex() throws {
        try queue.write { try $0.execute(sql: "DROP INDEX \(GRDBPlaces.index)") }
    }

    /// Lets a closure ask the index, all in one read.
    func withPlaces<Value>(_ body: (GRDBPlaces) throws -> Value) throws -> Value {
        try queue.read { try body(GRDBPlaces(database: $0)) }
    }

    /// Adds 1 to the amount of documents, all in one commit.
    func raise(_ identifiers: [String]) throws {
        try queue.write { database in
            let statement = try database.cachedStatement(
                sql: """
                    UPDATE document SET body = json_set(body, '$.amount', \(GRDBPlaces.amount) + 1)
                    WHERE id = ?
                    """)
            for identifier in identifiers { try statement.execute(arguments: [identifier]) }
        }
    }

    /// The bytes of pages that are in use.
    func usedByteCount() throws -> Int {
        try queue.read { database in
            let sql = """
                SELECT (page_count - freelist_count) * page_size
                FROM pragma_page_count, pragma_freelist_count, pragma_page_size
                """
            return try Int.fetchOne(database, sql: sql) ?? 0
        }
    }
}
