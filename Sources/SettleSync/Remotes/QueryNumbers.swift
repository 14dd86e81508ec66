import Settle

/// The small numbers that stand for the hashes of a remote's queries in the notes of its bases.
///
/// Shape (Docs/Formats/Replication.md): remote, number, one byte -> hash, eight bytes. The first
/// queries get one, and any other has none, so that the table does not grow with every filter that was
/// ever asked for.
final class QueryNumbers {
    /// Remote, number -> hash of the query.
    static let tableName = "sync.queries"
    /// The greatest number, which takes one byte.
    static let numberMax: UInt8 = 127

    private let table: SideTable?
    private let remote: UInt32
    private var hashes: [UInt8: UInt64] = [:]
    private var numbers: [UInt64: UInt8] = [:]
    private var isFull = false

    /// The numbers of a remote's queries.
    ///
    /// - Parameters:
    ///   - table: Where they are kept; nil when it was never written to.
    ///   - remote: The remote's number.
    init(_ table: SideTable?, of remote: UInt32) {
        self.table = table
        self.remote = remote
    }

    /// The hash that a number stands for; nil when it stands for none.
    func hash(of number: UInt8) throws -> UInt64? {
        if let hash = hashes[number] { return hash }
        guard let bytes = try table?.value(for: key(number)), bytes.count == 8 else { return nil }
        let hash = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        hashes[number] = hash
        numbers[hash] = number
        return hash
    }

    /// The number that stands for a hash; it gets one as long as there are any.
    ///
    /// - Returns: Nil when all numbers stand for other hashes.
    func number(of hash: UInt64) throws -> UInt8? {
        if let number = numbers[hash] { return number }
        if isFull { return nil }
        // Others may have written to the table in the same transaction.
        for number in 1...Self.numberMax {
            guard let known = try self.hash(of: number) else {
                try set(hash, for: number)
                return number
            }
            if known == hash { return number }
        }
        isFull = true
        return nil
    }

    private func set(_ hash: UInt64, for number: UInt8) throws {
        guard let table else {
            preconditionFailure("The tables of a remote were opened for reading only.")
        }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: hash >> UInt64(56 - 8 * $0)) }
        try table.set(bytes, for: key(number))
        hashes[number] = hash
        numbers[hash] = number
    }

    private func key(_ number: UInt8) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: remote >> UInt32(24 - 8 * $0)) } + [number]
    }
}
