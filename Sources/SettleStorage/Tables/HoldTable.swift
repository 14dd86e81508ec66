import SettleLMDB
import SettlePrimitives

/// Who holds the members of which record, with a note of the holder's own.
///
/// A holder needs members as they are in a record now, also after the document has changed. As long as
/// it has not, the holder's row says nothing of them.
///
/// Shape: `holds`: the record's sequence, as a byte that counts the bytes that follow, and these, most
/// significant first, without leading zeros; the holder's number, groups of seven bits -> the note.
struct HoldTable: Sendable {
    let table: Table

    static let name = "holds"

    init(creatingIn transaction: WriteTransaction) throws {
        table = try transaction.createTable(named: Self.name)
    }

    /// The table; nil in a store of a format that has none.
    init?(findingIn transaction: ReadTransaction) throws {
        guard let table = try transaction.table(named: Self.name) else { return nil }
        self.table = table
    }

    /// The key of a hold.
    static func key(_ sequence: UInt64, _ holder: UInt32) -> [UInt8] {
        var key = prefix(sequence)
        key.append(variable: UInt64(holder))
        return key
    }

    /// What a key says; nil when it is none.
    static func parse(_ key: Span<UInt8>) -> (sequence: UInt64, holder: UInt32)? {
        var position = 0
        guard let count = key.byte(at: &position), (1...8).contains(count) else { return nil }
        var sequence: UInt64 = 0
        for _ in 0..<count {
            guard let byte = key.byte(at: &position) else { return nil }
            sequence = sequence << 8 | UInt64(byte)
        }
        guard let number = key.variable(at: &position), position == key.count,
            let holder = UInt32(exactly: number), prefix(sequence).count == Int(count) + 1
        else { return nil }
        return (sequence, holder)
    }

    /// The note of a hold; nil when there is none.
    func note(
        at sequence: UInt64, of holder: UInt32, in reader: ReadTransaction
    ) throws -> [UInt8]? {
        try reader.value(for: Self.key(sequence, holder), in: table)
    }

    /// All holds of a record.
    func notes(
        at sequence: UInt64, in reader: ReadTransaction
    ) throws -> [(holder: UInt32, note: [UInt8])] {
        var found: [(UInt32, [UInt8])] = []
        try forEach(from: Self.prefix(sequence), in: reader) { number, holder, note in
            guard number == sequence else { return false }
            found.append((holder, note.rest(from: 0)))
            return true
        }
        return found
    }

    /// Walks the holds, by sequence and holder; `body` answers false to stop.
    func forEach(
        from key: [UInt8] = [], in reader: ReadTransaction,
        _ body: (_ sequence: UInt64, _ holder: UInt32, _ note: Span<UInt8>) throws -> Bool
    ) throws {
        try reader.forEach(in: table, from: key.isEmpty ? .unbounded : .including(key)) {
            key, note in
            guard let (sequence, holder) = Self.parse(key) else {
                throw StorageError.corrupted(place: "a key of table 'holds'")
            }
            return try body(sequence, holder, note)
        }
    }

    private static func prefix(_ sequence: UInt64) -> [UInt8] {
        let count = max(1, (64 - sequence.leadingZeroBitCount + 7) / 8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 2)
        bytes.append(UInt8(count))
        for place in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: sequence >> UInt64(8 * place)))
        }
        return bytes
    }
}
