import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// Which documents were purged, so that indexes and outboxes can take them out.
///
/// Shape: `purges`: sequence, eight bytes -> document identifier. Only the last ``countMax`` are
/// kept; ``StoreCounters/purgesForgotten`` tells where the list begins. (CouchDB keeps 1,000 a
/// shard, `purged_infos_limit`.)
struct PurgeTable: Sendable {
    let table: Table

    static let name = "purges"

    /// How many purges are remembered.
    static let countMax = 10_000

    init(creatingIn transaction: WriteTransaction) throws {
        table = try transaction.createTable(named: Self.name)
    }

    init(findingIn transaction: ReadTransaction) throws {
        guard let table = try transaction.table(named: Self.name) else {
            throw StorageError.notASettleStore
        }
        self.table = table
    }

    /// The purges after a sequence, ascending, each document once, at its last purge.
    func purges(
        since sequence: UInt64, in reader: ReadTransaction
    ) throws -> [(sequence: UInt64, id: String)] {
        var purges: [(sequence: UInt64, id: String)] = []
        var start: [UInt8] = []
        start.append(fixed64: sequence)
        try reader.forEach(in: table, from: .excluding(start)) { key, value in
            var position = 0
            guard key.count == 8, let number = key.fixed64(at: &position),
                let id = String(validating: value.rest(from: 0), as: UTF8.self)
            else { throw StorageError.corrupted(place: "a row of table 'purges'") }
            purges.append((number, id))
            return true
        }
        var last: [[UInt8]: UInt64] = [:]
        for purge in purges { last[Array(purge.id.utf8)] = purge.sequence }
        return last.count == purges.count
            ? purges : purges.filter { last[Array($0.id.utf8)] == $0.sequence }
    }

    /// Adds a purge and forgets the oldest when there are too many.
    ///
    /// - Returns: The sequence of the purge that was forgotten.
    func append(_ id: [UInt8], sequence: UInt64, in writer: WriteTransaction) throws -> UInt64? {
        var key: [UInt8] = []
        key.append(fixed64: sequence)
        try writer.append(id, for: key, in: table)
        guard try writer.count(of: table) > Self.countMax,
            let first = try writer.first(in: table)
        else { return nil }
        try writer.delete(first.key, from: table)
        var position = 0
        guard let forgotten = first.key.span.fixed64(at: &position) else {
            throw StorageError.corrupted(place: "a row of table 'purges'")
        }
        return forgotten
    }
}
