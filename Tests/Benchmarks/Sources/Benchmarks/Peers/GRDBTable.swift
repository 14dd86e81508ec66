import Foundation
import GRDB

/// SQLite through GRDB as an app has it that observes: a table with columns, and an index that has
/// all that is asked for; with a write-ahead log.
struct GRDBTable {
    /// A row of the result.
    struct PlaceRow: FetchableRecord, Sendable {
        let type: String
        let city: String
        let amount: Int
        let identifier: String

        init(row: Row) {
            (type, city, amount, identifier) = (row[0], row[1], row[2], row[3])
        }
    }

    private let writer: any DatabaseWriter

    /// Makes a database.
    ///
    /// - Parameters:
    ///   - folder: Where.
    ///   - isPool: True for a `DatabasePool`, which fetches while the next commit is made, false for
    ///     a `DatabaseQueue`.
    ///   - isDurable: True to flush with every commit, false for NORMAL.
    /// - Throws: ``BenchmarkError`` when it flushes otherwise; what GRDB throws.
    init(in folder: URL, isPool: Bool, isDurable: Bool) throws {
        let folder = folder.appendingPathComponent("grdb", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("table.sqlite").path
        var configuration = Configuration()
        configuration.journalMode = .wal
        writer =
            isPool
            ? try DatabasePool(path: path, configuration: configuration)
            : try DatabaseQueue(path: path, configuration: configuration)
        // As in GRDBPeer: only now, because GRDB sets NORMAL with the log.
        let setting = isDurable ? 2 : 1
        try writer.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA synchronous = \(setting)")
        }
        let synchronous = try writer.writeWithoutTransaction {
            try Int.fetchOne($0, sql: "PRAGMA synchronous")
        }
        try BenchmarkError.check(synchronous, is: setting, "SQLite's flushes (2 is FULL)")
        try writer.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE place (
                        id TEXT PRIMARY KEY NOT NULL, type TEXT NOT NULL, city TEXT NOT NULL,
                        amount INTEGER NOT NULL, body TEXT NOT NULL)
                    """)
        }
    }

    func close() throws { try writer.close() }

    /// Stores documents, and makes the index when they are there.
    func fill(_ documents: DocumentSet) throws {
        try writer.write { database in
            let statement = try database.makeStatement(
                sql: "INSERT INTO place (id, type, city, amount, body) VALUES (?, ?, ?, ?, ?)")
            for (number, text) in documents.strings.enumerated() {
                let facts = documents.facts[number]
                try statement.execute(arguments: [
                    documents.identifiers[number], facts.place.type, facts.place.city,
                    facts.amount, text,
                ])
            }
            try database.execute(
                sql: "CREATE INDEX byPlace ON place (type, city, id, amount)")
        }
    }

    /// Adds 1 to the amount of documents, each in a commit of its own.
    func raiseSingly(_ identifiers: [String]) throws {
        for identifier in identifiers {
            try writer.write { database in
                try database.cachedStatement(
                    sql: "UPDATE place SET amount = amount + 1 WHERE id = ?"
                ).execute(arguments: [identifier])
            }
        }
    }

    /// Observes the rows of a type, by city.
    func watch(_ type: String, rowLimit: Int?) throws -> GRDBWatch {
        // A negative limit is none.
        let arguments: StatementArguments = [type, rowLimit ?? -1]
        let sql = """
            SELECT type, city, amount, id FROM place WHERE type = ? ORDER BY city, id LIMIT ?
            """
        let plan = try writer.read {
            try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
        }.map { row -> String in row["detail"] }
        try BenchmarkError.check(
            plan, is: ["SEARCH place USING COVERING INDEX byPlace (type=?)"], "SQLite's plan")
        return GRDBWatch(writer) { database in
            try PlaceRow.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
        }
    }
}
