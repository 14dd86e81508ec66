import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// Which documents are to be purged at which date.
///
/// Shape: `expirations`: microseconds since 1970 in eight bytes, the sign bit turned so that the
/// order of the bytes is the order of the dates; then the document identifier -> nothing.
struct ExpirationTable: Sendable {
    let table: Table

    static let name = "expirations"

    init(creatingIn transaction: WriteTransaction) throws {
        table = try transaction.createTable(named: Self.name)
    }

    init(findingIn transaction: ReadTransaction) throws {
        guard let table = try transaction.table(named: Self.name) else {
            throw StorageError.notASettleStore
        }
        self.table = table
    }

    /// Moves a document from one date to another.
    func move(
        _ id: [UInt8], from old: Timestamp?, to new: Timestamp?, in writer: WriteTransaction
    ) throws {
        guard old != new else { return }
        if let old { try writer.delete(Self.key(old, id), from: table) }
        if let new { try writer.put([], for: Self.key(new, id), in: table) }
    }

    /// True when a document is listed at a date.
    func contains(_ id: [UInt8], at date: Timestamp, in reader: ReadTransaction) throws -> Bool {
        try reader.contains(Self.key(date, id), in: table)
    }

    /// Walks the dates, the earliest first; `body` answers false to stop.
    func forEach(
        in reader: ReadTransaction, _ body: (_ date: Timestamp, _ id: String) throws -> Bool
    ) throws {
        try reader.forEach(in: table) { key, _ in
            var position = 0
            guard let number = key.fixed64(at: &position), position < key.count,
                let id = String(validating: key.rest(from: position), as: UTF8.self)
            else { throw StorageError.corrupted(place: "a key of table 'expirations'") }
            return try body(Timestamp(microseconds: Int64(bitPattern: number ^ 1 << 63)), id)
        }
    }

    private static func key(_ date: Timestamp, _ id: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(8 + id.count)
        key.append(fixed64: UInt64(bitPattern: date.microseconds) ^ 1 << 63)
        key.append(contentsOf: id)
        return key
    }
}
