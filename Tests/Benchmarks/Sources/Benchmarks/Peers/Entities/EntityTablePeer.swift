import Foundation
import GRDB

/// The textbook design over GRDB: a table with an entry of a property a row.
struct EntityTablePeer {
    static let name = "grdb"

    let queue: DatabaseQueue
    private let folder: URL

    private static let insertion =
        "INSERT INTO property (entity, key, value, datestamp, type) VALUES (?, ?, ?, ?, ?)"

    /// A new database, whose commits are with the system when they are reported, as Settle's relaxed ones.
    init(in folder: URL) throws {
        self.folder = folder.appendingPathComponent("grdb-entities", isDirectory: true)
        try FileManager.default.createDirectory(
            at: self.folder, withIntermediateDirectories: true)
        var configuration = Configuration()
        configuration.journalMode = .wal
        queue = try DatabaseQueue(
            path: self.folder.appendingPathComponent("entities.sqlite").path,
            configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE entity (
                        id TEXT PRIMARY KEY NOT NULL, type TEXT NOT NULL, datestamp REAL NOT NULL);
                    CREATE INDEX entityType ON entity (type);
                    CREATE TABLE property (
                        entity TEXT NOT NULL, key TEXT NOT NULL, value, datestamp REAL NOT NULL,
                        type TEXT NOT NULL);
                    CREATE INDEX propertyEntity ON property (entity, key, datestamp);
                    CREATE INDEX propertyValue ON property (key, value);
                    """)
        }
    }

    func close() throws { try queue.close() }

    func fill(_ entities: EntitySet, changes: Int = EntitySet.changeCount) throws {
        let start = EntitySet.start.timeIntervalSince1970
        for batch in entities.people.batches(of: 1_000) {
            try queue.write { database in
                let entity = try database.cachedStatement(
                    sql: "INSERT INTO entity (id, type, datestamp) VALUES (?, ?, ?)")
                let property = try database.cachedStatement(sql: Self.insertion)
                for person in batch {
                    try entity.execute(arguments: [person.id, EntitySet.type, start])
                    let values: [(String, any DatabaseValueConvertible, String)] = [
                        ("name", person.name, "string"), ("email", person.email, "string"),
                        ("city", person.city, "string"), ("age", person.age, "integer"),
                        ("height", person.height, "double"), ("active", person.isActive, "boolean"),
                        ("born", person.born.timeIntervalSince1970, "date"),
                    ]
                    for (key, value, type) in values {
                        try property.execute(arguments: [person.id, key, value, start, type])
                    }
                }
            }
        }
        guard changes > 0 else { return }
        for change in 1...changes {
            for batch in entities.changed.batches(of: 1_000) {
                try update(entities, batch, at: EntitySet.date(ofChange: change)) {
                    EntitySet.city(of: $0, after: change)
                }
            }
        }
    }

    func update(
        _ entities: EntitySet, _ picks: some Sequence<Int>, at date: Date, _ city: (Int) -> String
    ) throws {
        try queue.write { database in
            let statement = try database.cachedStatement(sql: Self.insertion)
            for pick in picks {
                try statement.execute(arguments: [
                    entities.people[pick].id, "city", city(pick), date.timeIntervalSince1970,
                    "string",
                ])
            }
        }
    }

    /// Reads entities with their current properties, or those that they had at a date.
    func read(
        _ entities: EntitySet, _ picks: some Collection<Int>, asOf date: Date? = nil
    ) throws -> FieldSums {
        let condition = date == nil ? "" : "AND datestamp <= ?"
        return try queue.read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT key, value, type, MAX(datestamp) FROM property
                    WHERE entity = ? \(condition) GROUP BY key
                    """)
            var sums = FieldSums()
            for pick in picks {
                var arguments: StatementArguments = [entities.people[pick].id]
                if let date { arguments += [date.timeIntervalSince1970] }
                let rows = try Row.fetchCursor(statement, arguments: arguments)
                var properties: [String: DatabaseValue] = [:]
                while let row = try rows.next() {
                    let key: String = row[0]
                    properties[key] = row[1]
                }
                guard properties.count == 7 else { continue }
                sums.count += 1
                sums.amounts += properties["age"].flatMap { Int.fromDatabaseValue($0) } ?? 0
                for key in ["name", "city"] {
                    let text = properties[key].flatMap { String.fromDatabaseValue($0) }
                    sums.textBytes += text?.utf8.count ?? 0
                }
            }
            return sums
        }
    }

    func find(_ entities: EntitySet, _ picks: some Collection<Int>) throws -> Int {
        try queue.read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT entity FROM property AS found WHERE key = 'email' AND value = ?
                    AND datestamp = (SELECT MAX(datestamp) FROM property
                        WHERE entity = found.entity AND key = found.key)
                    """)
            return try picks.count { pick in
                try String.fetchOne(statement, arguments: [entities.people[pick].email]) != nil
            }
        }
    }

    func byteCount() throws -> Int {
        _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        return try ScratchFolder.byteCount(of: folder)
    }
}
