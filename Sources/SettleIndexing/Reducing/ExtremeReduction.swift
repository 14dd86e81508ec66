import SettleDocuments
import SettlePrimitives
import SettleStorage

/// `_min` and `_max`: the smallest or greatest value of any kind.
///
/// Values compare as keys of the Unicode collation do; numbers are compared without making keys.
/// Of values that collate alike (1 and 1.0) the first in the order of the rows is the result.
/// The partial is `00`, or `01` and the packed value.
struct ExtremeReduction {
    private static let collator = Collator(.unicode)

    private let takesGreatest: Bool
    /// The value so far, packed; empty for none.
    private var best: [UInt8] = []
    /// The value so far when it is a number.
    private var number: NumberValue?
    /// Its collation key, made when first needed; empty until then.
    private var key: [UInt8] = []
    /// The key of the value it is compared with; kept for its memory.
    private var otherKey: [UInt8] = []

    init(takesGreatest: Bool) {
        self.takesGreatest = takesGreatest
    }

    /// Takes in a packed value; none when there are no bytes.
    mutating func add(_ tail: Span<UInt8>) throws(IndexError) {
        guard !tail.isEmpty else { return }
        do throws(PackedError) {
            try take(tail, from: 0)
        } catch {
            throw PartialForm.valueDamage
        }
    }

    mutating func merge(_ partial: Span<UInt8>) throws(IndexError) {
        var position = 0
        switch try PartialForm.byte(partial, at: &position) {
        case PartialForm.nothing: try PartialForm.end(partial, at: position)
        case PartialForm.value:
            do throws(PackedError) {
                try take(partial, from: position)
            } catch {
                throw PartialForm.damage
            }
        default: throw PartialForm.damage
        }
    }

    private mutating func take(_ bytes: Span<UInt8>, from start: Int) throws(PackedError) {
        let range = start..<bytes.count
        let other = NumberValue(try PackedForm.whole(of: bytes, in: range))
        // Numbers are whole with their head; anything else is looked at before it is believed.
        if other == nil { try PackedForm.check(bytes, in: range) }
        guard !best.isEmpty else { return keep(bytes, start, other) }
        let isBetter: Bool
        if let number, let other {
            isBetter = takesGreatest ? number.isLess(than: other) : other.isLess(than: number)
        } else {
            otherKey.removeAll(keepingCapacity: true)
            try Self.collator.append(bytes, in: range, to: &otherKey)
            if key.isEmpty { key = try Self.key(of: best) }
            isBetter =
                takesGreatest
                ? key.lexicographicallyPrecedes(otherKey)
                : otherKey.lexicographicallyPrecedes(key)
        }
        guard isBetter else { return }
        keep(bytes, start, other)
    }

    private static func key(of packed: [UInt8]) throws(PackedError) -> [UInt8] {
        var key: [UInt8] = []
        try collator.append(packed.span, in: 0..<packed.count, to: &key)
        return key
    }

    private mutating func keep(_ bytes: Span<UInt8>, _ start: Int, _ other: NumberValue?) {
        best = bytes.rest(from: start)
        number = other
        key.removeAll(keepingCapacity: true)
    }

    func encode(to bytes: inout [UInt8]) {
        bytes.append(best.isEmpty ? PartialForm.nothing : PartialForm.value)
        bytes.append(contentsOf: best)
    }

    func result() throws(IndexError) -> JSONValue {
        best.isEmpty ? .null : try PartialForm.packed(best.span, from: 0)
    }

    mutating func reset() {
        best.removeAll(keepingCapacity: true)
        number = nil
        key.removeAll(keepingCapacity: true)
    }
}
