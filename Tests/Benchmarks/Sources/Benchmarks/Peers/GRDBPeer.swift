import Foundation
import GRDB

/// SQLite through GRDB: a table of identifiers and JSON texts, with a write-ahead log, durable if nothing else is
/// said.
struct GRDBPeer {
    static let name = "grdb"
    /// As in Package.swift; GRDB does not tell.
    static let version = "7.10.0"

    let queue: DatabaseQueue
    private let folder: URL

    private static let insertion = "INSERT INTO document (id, body) VALUES (?, ?)"

    /// The document as GRDB reads it: three members of the body, decoded from its JSON.
    private struct StoredDocument: Codable, FetchableRecord {
        struct Body: Codable {
            struct Address: Codable {
                let city: String
            }
            let name: String
            let amount: Int
            let address: Address
        }

        private static let decoder = JSONDecoder()

        let id: String
        let body: Body

        // One for all, where GRDB would make one for each document.
        static func databaseJSONDecoder(for column: String) -> JSONDecoder { decoder }
    }

    /// Opens a new database; relaxed is NORMAL, which flushes nothing at a commit.
    init(in folder: URL, isDurable: Bool = true) throws {
        self.folder = folder.appendingPathComponent("grdb", isDirectory: true)
        try FileManager.default.createDirectory(
            at: self.folder, withIntermediateDirectories: true)
        var configuration = Configuration()
        configuration.journalMode = .wal
        queue = try DatabaseQueue(
            path: self.folder.appendingPathComponent("documents.sqlite").path,
            configuration: configuration)
        // Only now: switching to the log, GRDB sets NORMAL, whatever was asked for before.
        let level = isDurable ? "FULL" : "NORMAL"
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(level)") }
        try queue.write { database in
            try database.execute(
                sql: "CREATE TABLE document (id TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL)")
        }
        try BenchmarkError.check(setting("journal_mode"), is: "wal", "SQLite's journal")
        try BenchmarkError.check(
            setting("synchronous"), is: isDurable ? "2" : "1",
            "SQLite's flushes (2 is FULL)")
    }

    func close() throws { try queue.close() }

    static func sqliteVersion() throws -> String {
        try DatabaseQueue().read {
            try String.fetchOne($0, sql: "SELECT sqlite_version()") ?? "unknown"
        }
    }

    /// Stores documents unparsed, `batch` of them in each transaction.
    func insert(_ identifiers: [String], _ texts: [String], batch: Int) throws {
        var next = 0
        while next < texts.count {
            let range = next..<min(next + batch, texts.count)
            try queue.write { database in
                let statement = try database.cachedStatement(sql: Self.insertion)
                for index in range {
                    try statement.execute(arguments: [identifiers[index], texts[index]])
                }
            }
            next = range.upperBound
        }
    }

    /// Stores documents in a transaction each, from several tasks at once.
    func insertConcurrently(
        _ identifiers: [String], _ texts: [String], tasks: Int
    ) async throws {
        let queue = queue
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for index in stride(from: task, to: texts.count, by: tasks) {
                        try await queue.write { database in
                            try database.cachedStatement(sql: Self.insertion)
                                .execute(arguments: [identifiers[index], texts[index]])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Reads documents as records, all in one read.
    func read(_ identifiers: [String], _ picks: [Int]) throws -> FieldSums {
        try queue.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT id, body FROM document WHERE id = ?")
            var sums = FieldSums()
            for pick in picks {
                let found = try StoredDocument.fetchOne(statement, arguments: [identifiers[pick]])
                guard let body = found?.body else { continue }
                sums.count += 1
                sums.amounts += body.amount
                sums.textBytes += body.name.utf8.count + body.address.city.utf8.count
            }
            return sums
        }
    }

    /// Walks all documents; SQLite takes `type` and `amount` out of the JSON.
    func scan() throws -> FieldSums {
        try queue.read { database in
            let sql = """
                SELECT json_extract(body, '$.type'), json_extract(body, '$.amount') FROM document
                """
            var sums = FieldSums()
            let rows = try Row.fetchCursor(database, sql: sql)
            while let row = try rows.next() {
                let type: String = row[0]
                let amount: Int = row[1]
                sums.count += 1
                sums.amounts += amount
                sums.textBytes += type.utf8.count
            }
            return sums
        }
    }

    /// As ``scan()``, but SQLite adds up too, and hands over one row.
    func scanInSQL() throws -> FieldSums {
        try queue.read { database in
            let sql = """
                SELECT count(*), sum(json_extract(body, '$.amount')),
                    sum(length(json_extract(body, '$.type')))
                FROM document
                """
            guard let row = try Row.fetchOne(database, sql: sql) else { return FieldSums() }
            return FieldSums(count: row[0], amounts: row[1], textBytes: row[2])
        }
    }

    /// The bytes of its files once the log has been carried over into the table.
    func byteCount() throws -> Int {
        _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        return try ScratchFolder.byteCount(of: folder)
    }

    private func setting(_ name: String) throws -> String? {
        try queue.read { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}
