import SettleDocuments
import SettlePrimitives
import SettleStorage

/// A document that could not be mapped, and why.
package struct MapFailure: Sendable, Equatable {
    /// The document.
    package let id: String
    /// Its sequence then: a later one is mapped again.
    package let sequence: UInt64
    /// What happened.
    package let reason: String
    /// True when the process ended while the map function had the document.
    package let isCrash: Bool

    /// The longest reason that is kept, in characters.
    private static let reasonLengthMax = 300

    init(id: String, sequence: UInt64, reason: String, isCrash: Bool = false) {
        self.id = id
        self.sequence = sequence
        self.reason = String(reason.prefix(Self.reasonLengthMax))
        self.isCrash = isCrash
    }
}

/// The documents of an index that could not be mapped, in its side table.
///
/// Shape: `e`, identifier -> a packed object of sequence, reason, isCrash.
struct MapFailureTable {
    private let table: OrderedTable
    private static let kind = UInt8(ascii: "e")

    init(_ table: OrderedTable) {
        self.table = table
    }

    func failure(of id: String) throws -> MapFailure? {
        try table.value(for: Self.key(id)).map { try Self.decode(id, $0) }
    }

    func set(_ failure: MapFailure) throws {
        let packed = try PackedValue(
            .object([
                "sequence": .integer(Int64(clamping: failure.sequence)),
                "reason": .string(failure.reason), "isCrash": .bool(failure.isCrash),
            ]))
        try table.set(packed.bytes, for: Self.key(failure.id))
    }

    func remove(_ id: String) throws {
        try table.remove(Self.key(id))
    }

    /// Walks the failures in the order of the identifiers; `body` answers false to stop.
    func forEach(_ body: (MapFailure) throws -> Bool) throws {
        try table.forEach(from: .including([Self.kind]), to: .excluding([Self.kind + 1])) {
            key, value in
            guard let id = String(validating: key.rest(from: 1), as: UTF8.self) else {
                throw IndexError.corrupted(place: "the errors of an index")
            }
            return try body(try Self.decode(id, value.rest(from: 0)))
        }
    }

    private static func key(_ id: String) -> [UInt8] { [kind] + Array(id.utf8) }

    private static func decode(_ id: String, _ bytes: [UInt8]) throws -> MapFailure {
        let packed = PackedValue(stored: bytes)
        guard case .integer(let sequence) = try packed.member("sequence"), sequence >= 0,
            case .string(let reason) = try packed.member("reason"),
            case .bool(let isCrash) = try packed.member("isCrash")
        else { throw IndexError.corrupted(place: "the error of document '\(id)' in an index") }
        return MapFailure(
            id: id, sequence: UInt64(sequence), reason: reason, isCrash: isCrash)
    }
}
