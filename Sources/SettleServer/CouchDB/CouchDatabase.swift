import Foundation
import Settle

/// One database, as CouchDB's protocol shows it to a sender.
struct CouchDatabase: Sendable {
    let name: String
    let database: Database
    /// Who asks.
    var user = CouchUser.everybody
    /// What of it is theirs.
    var identity = Identity.unlimited
    /// Whether the sender administers it.
    var isAdministered = true

    init(_ name: String, _ database: Database) {
        self.name = name
        self.database = database
    }

    /// The side table with the MD5 of contents, by their SHA-256.
    static let md5Table = "couchdb.md5"
    /// The side table with local documents, by their identifiers.
    static let localTable = "couchdb.local"

    /// What a sequence is called; clients take it as it is.
    static func text(ofSequence sequence: UInt64) -> String { "\(sequence)-settle" }

    /// The sequence that a parameter names.
    ///
    /// - Parameters:
    ///   - text: `0`, `now`, or what ``text(ofSequence:)`` made.
    ///   - last: The last sequence there is; what lies beyond it belongs to another database, and begins at 0.
    /// - Returns: The sequence.
    /// - Throws: ``CouchError`` for any other text.
    static func sequence(_ text: String, last: UInt64) throws(CouchError) -> UInt64 {
        if text == "now" { return last }
        let digits = text.prefix { $0 != "-" }
        guard let sequence = UInt64(digits.isEmpty ? text : String(digits)) else {
            throw .badRequest("Malformed sequence supplied in 'since' parameter.")
        }
        return sequence > last ? 0 : sequence
    }

    /// What the database says of itself.
    ///
    /// - Complexity: Linear in the documents for a sender who sees a part of them, who are told how many those are.
    func information() throws -> JSONValue {
        let statistics = try database.statistics()
        var (count, deletedCount) = (statistics.documentCount, statistics.tombstoneCount)
        if isLimited { (count, deletedCount) = try database.read { try counts(in: $0) } }
        let used = (statistics.pagesUsed - statistics.pagesFree) * statistics.pageSizeBytes
        return [
            "db_name": .string(name),
            "doc_count": .integer(Int64(count)),
            "doc_del_count": .integer(Int64(deletedCount)),
            "update_seq": .string(Self.text(ofSequence: statistics.lastSequence)),
            "purge_seq": "0-settle", "compact_running": false, "disk_format_version": 8,
            "instance_start_time": "0", "props": [:],
            "sizes": [
                "file": .integer(Int64(statistics.fileSizeBytes)),
                "active": .integer(Int64(used)), "external": .integer(Int64(used)),
            ],
            "cluster": ["q": 1, "n": 1, "w": 1, "r": 1],
        ]
    }
}
