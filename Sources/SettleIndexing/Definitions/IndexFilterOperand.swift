import SettleDocuments

/// A value that a filter compares with, prepared so that comparing decodes little.
///
/// The order is that of index keys.
struct IndexFilterOperand: Sendable {
    private let content: JSONValue
    /// The place of its kind among the kinds.
    private let rank: Int
    /// The UTF-8 of a string; empty for other values.
    private let text: [UInt8]
    /// The encoded key, for what cannot be compared without.
    private let key: [UInt8]
    private let collator: Collator

    init(_ value: JSONValue, _ strings: Collator.Strings) {
        content = value
        collator = Collator(strings)
        key = collator.key(for: value)
        text = value.stringValue.map { Array($0.utf8) } ?? []
        rank =
            switch value {
            case .null: 0
            case .bool(false): 1
            case .bool(true): 2
            case .integer, .double: 3
            case .string: 4
            case .array: 5
            case .object: 6
            }
    }

    /// Below, at, or above zero as the packed value that fills the range comes before, equals, or
    /// comes after the operand.
    ///
    /// - Throws: `PackedError` when the value is damaged.
    func order(of bytes: Span<UInt8>, in range: Range<Int>) throws(PackedError) -> Int {
        switch try PackedForm.whole(of: bytes, in: range) {
        case .null: return 0 - rank
        case .bool(let value): return (value ? 2 : 1) - rank
        case .integer(let value):
            switch content {
            case .integer(let other): return value < other ? -1 : value == other ? 0 : 1
            case .double(let other): return Self.order(value, other)
            default: return 3 - rank
            }
        case .double(let value):
            switch content {
            case .integer(let other): return -Self.order(other, value)
            case .double(let other): return value < other ? -1 : value == other ? 0 : 1
            default: return 3 - rank
            }
        case .string(let place):
            guard rank == 4 else { return 4 - rank }
            return try order(ofText: bytes, at: place, in: range)
        case .array: return rank == 5 ? try orderByKey(of: bytes, in: range) : 5 - rank
        case .object: return rank == 6 ? try orderByKey(of: bytes, in: range) : 6 - rank
        }
    }

    /// Below, at, or above zero as the identifier comes before, equals, or comes after the operand.
    func order(ofID id: Span<UInt8>) -> Int {
        rank == 4 ? Self.order(id, 0..<id.count, text.span) : 4 - rank
    }

    private func order(
        ofText bytes: Span<UInt8>, at place: Range<Int>, in range: Range<Int>
    ) throws(PackedError) -> Int {
        if collator.strings == .raw { return Self.order(bytes, place, text.span) }
        // Sort keys cost a call of ICU, and most strings can do without.
        if let order = ASCIICollation.order(of: bytes, in: place, and: text.span) { return order }
        return try orderByKey(of: bytes, in: range)
    }

    private func orderByKey(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Int {
        var other: [UInt8] = []
        try collator.append(bytes, in: range, to: &other)
        return Self.order(other.span, 0..<other.count, key.span)
    }

    private static func order(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ other: Span<UInt8>
    ) -> Int {
        for offset in 0..<min(range.count, other.count) {
            let byte = bytes[range.lowerBound + offset]
            if byte != other[offset] { return byte < other[offset] ? -1 : 1 }
        }
        return range.count - other.count
    }

    /// Compares exactly, where converting either number would round it.
    private static func order(_ integer: Int64, _ double: Double) -> Int {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let whole = Int64(double)  // Toward zero.
        if integer != whole { return integer < whole ? -1 : 1 }
        let rest = double - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }
}
