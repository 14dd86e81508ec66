import SettlePrimitives
import SettleStorage

/// A sum of integers and doubles: the integers exactly, the doubles to twice their digits.
///
/// What the integers give depends on nothing but the integers. The doubles are added with what
/// each rounding leaves, so that another order or grouping changes the last bit at most.
///
/// > Source: the error-free sums of two doubles are those of Knuth ("The Art of Computer
/// > Programming", volume 2, 4.2.2) and Dekker ("A floating-point technique for extending the
/// > available precision", 1971).
struct NumberTotal: Equatable {
    private var whole = WideInteger()
    private var hasDouble = false
    private var high = 0.0
    private var low = 0.0

    init() {}

    @inline(__always)
    mutating func add(_ value: Int64) {
        whole.add(value)
    }

    mutating func add(squareOf value: Int64) {
        whole.add(squareOf: value)
    }

    mutating func add(_ value: Double) {
        hasDouble = true
        (high, low) = Self.sum(high, low, value, 0)
    }

    mutating func add(_ value: NumberValue) {
        switch value {
        case .integer(let value): add(value)
        case .double(let value): add(value)
        }
    }

    mutating func add(_ other: NumberTotal) {
        whole.add(other.whole)
        guard other.hasDouble else { return }
        hasDouble = true
        (high, low) = Self.sum(high, low, other.high, other.low)
    }

    /// The sum: an integer when all terms were integers and it has 64 bits, else a double.
    ///
    /// Nil when the doubles left the range of doubles on the way.
    var value: NumberValue? {
        if !hasDouble, let integer = whole.integer { return .integer(integer) }
        let exact = whole.doubles
        let (sum, _) = Self.sum(high, low, exact.high, exact.low)
        return sum.isFinite ? .double(sum) : nil
    }

    /// The sum of two numbers of which each is a double and what its rounding left.
    ///
    /// Infinite, and nothing left, once the range of doubles is passed.
    private static func sum(
        _ firstHigh: Double, _ firstLow: Double, _ secondHigh: Double, _ secondLow: Double
    ) -> (high: Double, low: Double) {
        let rounded = firstHigh + secondHigh
        let second = rounded - firstHigh
        let left = (firstHigh - (rounded - second)) + (secondHigh - second)
        let rest = left + (firstLow + secondLow)
        let high = rounded + rest
        guard high.isFinite else { return (.infinity, 0) }
        return (high, rest - (high - rounded))
    }

    // MARK: Stored form

    private static let countMask: UInt8 = 0x1F
    private static let doubleFlag: UInt8 = 0x20
    private static let infinityFlag: UInt8 = 0x40

    /// Appends the stored form: a byte of flags and length, the whole part, the double part.
    func append(to bytes: inout [UInt8]) {
        var head = UInt8(whole.byteCount)
        if hasDouble { head |= high.isFinite ? Self.doubleFlag : Self.infinityFlag }
        bytes.append(head)
        whole.append(to: &bytes)
        guard head & Self.doubleFlag != 0 else { return }
        bytes.append(fixed64: high.bitPattern)
        bytes.append(fixed64: low.bitPattern)
    }

    /// Reads a stored form and moves past it.
    init(_ bytes: Span<UInt8>, at position: inout Int) throws(IndexError) {
        let head = try PartialForm.byte(bytes, at: &position)
        let count = Int(head & Self.countMask)
        guard let whole = WideInteger(bytes, at: &position, count: count) else {
            throw PartialForm.damage
        }
        self.whole = whole
        switch head & ~Self.countMask {
        case 0: break
        case Self.infinityFlag:
            hasDouble = true
            high = .infinity
        case Self.doubleFlag:
            guard let first = bytes.fixed64(at: &position),
                let second = bytes.fixed64(at: &position)
            else { throw PartialForm.damage }
            hasDouble = true
            high = Double(bitPattern: first)
            low = Double(bitPattern: second)
            // Sums that were begun with 0.0 are never -0.0, and what was left was rounded off.
            let negativeZero = (-0.0).bitPattern
            guard high.isFinite, low.isFinite, high + low == high, first != negativeZero,
                second != negativeZero
            else { throw PartialForm.damage }
        default: throw PartialForm.damage
        }
    }
}
