import SettlePQ
import SettleServer

/// The rows of `settle.tables`.
enum TableRows {
    /// Held while a table is made, so that no two processes make one too many.
    ///
    /// The number is "tables" in ASCII.
    private static let lock: Int64 = 0x7461_626C_6573

    /// The number of a table.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - isCreated: True to make a table that is not there.
    ///   - countMax: How many tables there may be.
    ///   - connection: The connection.
    /// - Returns: The number; nil when there is no such table and it shall not be made.
    /// - Throws: ``Problem`` 403 when there are too many; ``PQError``.
    static func id(
        of name: TableName, isCreated: Bool, countMax: Int, _ connection: PQConnection
    ) throws -> Int64? {
        if let id = try id(of: name, connection) { return id }
        guard isCreated else { return nil }
        return try connection.transaction(.write) {
            try connection.run("SELECT pg_advisory_xact_lock($1)", .integer(lock))
            if let id = try id(of: name, connection) { return id }
            let count = try connection.run("SELECT count(*) FROM settle.tables")[0].integer(0)
            guard count < countMax else { throw Problem.tooManyTables(countMax) }
            return try connection.run(
                "INSERT INTO settle.tables (name) VALUES ($1) RETURNING id", .text(name.text))[0]
                .integer(0)
        }
    }

    /// The number of a table; nil when there is none of that name.
    ///
    /// - Throws: ``PQError``.
    static func id(of name: TableName, _ connection: PQConnection) throws -> Int64? {
        try connection.run("SELECT id FROM settle.tables WHERE name = $1", .text(name.text))
            .first?.integer(0)
    }
}
