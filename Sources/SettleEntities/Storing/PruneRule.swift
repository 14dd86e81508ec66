import Foundation
import Settle
import SettleSync

/// Which superseded entries a device does not keep.
struct PruneRule: Sendable, Hashable {
    /// Entries from this moment on are kept.
    var moment: Int64?
    /// So many of each key are kept, the latest.
    var count: Int?

    private static let table = "settle-entities"
    private static let key = Array("pruning".utf8)
    /// How many documents are purged in one transaction.
    private static let countAtOnce = 1_000

    /// The rule that is kept in a database; nil when there is none.
    ///
    /// - Throws: What the database throws.
    init?(in snapshot: Snapshot) throws {
        guard let row = try snapshot.table(Self.table)?.value(for: Self.key),
            let json = try? JSONValue(jsonText: String(decoding: row, as: UTF8.self))
        else { return nil }
        moment = json["moment"]?.integerValue
        count = json["count"]?.integerValue.map { Int($0) }
        if moment == nil, count == nil { return nil }
    }

    init(moment: Int64?, count: Int?) {
        self.moment = moment
        self.count = count
    }

    /// Keeps the rule in place of the one before.
    ///
    /// - Throws: What the database throws.
    func keep(in transaction: Transaction) throws {
        var members: [String: JSONValue] = [:]
        members["moment"] = moment.map { .integer($0) }
        members["count"] = count.map { .integer(Int64($0)) }
        try transaction.sideTable(named: Self.table)
            .set(Array(JSONValue.object(members).jsonText.utf8), for: Self.key)
    }

    /// Whether an entry goes: one of those of its key, counted from the latest.
    func prunes(_ entry: Entry, at place: Int) -> Bool {
        if let moment, entry.stamp.moment >= moment { return false }
        if let count, place < count { return false }
        return moment != nil || count != nil
    }

    /// The documents that go, among those whose identifiers begin with one of some texts.
    ///
    /// - Throws: What reading throws.
    func documents(beginningWith beginnings: [String], in snapshot: Snapshot) throws -> [String] {
        var found: [String] = []
        for beginning in beginnings {
            var place = 0
            var key: [String] = []
            try snapshot.forEachDocument(after: beginning) { document in
                guard document.id.utf8.starts(with: beginning.utf8) else { return false }
                guard let record = try? EntryRecord(document) else { return true }
                if key != [record.entity, record.key] {
                    (key, place) = ([record.entity, record.key], 0)
                }
                if prunes(record.entry, at: place) { found.append(document.id) }
                place += 1
                return true
            }
        }
        return found
    }

    /// Purges what goes among those documents, but for what waits to be sent.
    ///
    /// - Returns: How many documents went.
    /// - Throws: What the database throws; what went before stays gone.
    func prune(_ database: Database, beginningWith beginnings: [String]) async throws -> Int {
        let found = try database.read { try documents(beginningWith: beginnings, in: $0) }
        if found.isEmpty { return 0 }
        // Afterwards: an entry is never changed, so what has been sent by now need not be sent again.
        let pending = Set(try database.pendingOperations().map(\.documentId))
        var ids = found.filter { !pending.contains($0) }[...]
        let count = ids.count
        while !ids.isEmpty {
            let batch = Array(ids.prefix(Self.countAtOnce))
            ids = ids.dropFirst(batch.count)
            try await database.write { _ = try $0.purge(documentsWithIds: batch) }
        }
        return count
    }
}
