import Foundation
import Settle
import SettlePrimitives

/// What the database keeps for replications by revisions (Docs/Formats/Replication.md).
enum RevisionTables {
    /// The logs by their names, and under ``databaseKey`` what this database is called in those names.
    static let logsName = "sync.logs"
    /// The SHA-256 of contents, by what remotes call them.
    static let contentsName = "sync.contents"

    private static let databaseKey = Array("database".utf8)
    private static let layout: UInt8 = 1
    /// The longest name of a content that is noted, in bytes; CouchDB's have 28.
    private static let contentNameLengthMax = 128

    /// What this database is called, made when it was called nothing before.
    static func databaseName(in transaction: Transaction) throws -> String {
        if let name = try knownDatabaseName(in: transaction) { return name }
        let name = newName()
        try transaction.sideTable(named: logsName).set(
            [layout] + Array(name.utf8), for: databaseKey)
        return name
    }

    /// What this database is called; nil when it was called nothing before.
    static func knownDatabaseName(in snapshot: Snapshot) throws -> String? {
        try snapshot.table(logsName)?.value(for: databaseKey).map {
            try text($0, "the name of the database")
        }
    }

    /// A name that nothing had before.
    static func newName() -> String {
        UUID().uuidString.replacing("-", with: "").lowercased()
    }

    /// A log; nil when there is none.
    static func log(_ name: String, in snapshot: Snapshot) throws -> ReplicationLog? {
        guard let bytes = try snapshot.table(logsName)?.value(for: Array(name.utf8)) else {
            return nil
        }
        return try log(bytes, name)
    }

    private static func log(_ bytes: [UInt8], _ name: String) throws -> ReplicationLog? {
        let place = "log '\(name)'"
        let text = Array(try text(bytes, place).utf8)
        guard let json = try? JSONText.value(from: text) else {
            throw RowReader(bytes, place: place).damage
        }
        return ReplicationLog(json)
    }

    private static func text(_ bytes: [UInt8], _ place: String) throws -> String {
        guard bytes.first == layout,
            let text = String(validating: bytes.dropFirst(), as: UTF8.self)
        else { throw RowReader(bytes, place: place).damage }
        return text
    }

    /// Keeps a log.
    static func setLog(
        _ log: ReplicationLog, _ name: String, in transaction: Transaction
    ) throws {
        try transaction.sideTable(named: logsName)
            .set([layout] + JSONText.text(of: log.json), for: Array(name.utf8))
    }

    /// The SHA-256 of what a remote calls so; nil when that is not known.
    static func content(_ remoteDigest: String, in snapshot: Snapshot) throws -> String? {
        guard (1...contentNameLengthMax).contains(remoteDigest.utf8.count),
            let bytes = try snapshot.table(contentsName)?.value(for: Array(remoteDigest.utf8))
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Notes what a remote calls some content.
    static func noteContent(
        _ remoteDigest: String, _ digest: String, in transaction: Transaction
    ) throws {
        guard (1...contentNameLengthMax).contains(remoteDigest.utf8.count) else { return }
        try transaction.sideTable(named: contentsName)
            .set(Array(digest.utf8), for: Array(remoteDigest.utf8))
    }

    /// Whether the row of a log, or the name of the database, can be read.
    static func isReadable(log bytes: [UInt8], _ key: [UInt8]) -> Bool {
        if key == databaseKey { return (try? text(bytes, "")) != nil }
        return (try? log(bytes, "")) != nil
    }
}
