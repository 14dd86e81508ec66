/// A whole number of 192 bits, which no sum of integers of 64 bits, or of their squares, leaves.
struct WideInteger: Equatable {
    /// How many bytes the longest stored form has.
    static let byteCountMax = 24

    private var high: UInt64 = 0
    private var middle: UInt64 = 0
    private var low: UInt64 = 0

    private var isNegative: Bool { high >> 63 == 1 }

    @inline(__always)
    mutating func add(_ value: Int64) {
        let (sum, carry) = low.addingReportingOverflow(UInt64(bitPattern: value))
        low = sum
        // A negative number takes one from the upper words, unless the carry gives it back.
        if carry == (value < 0) { return }
        if carry { increment() } else { decrement() }
    }

    private mutating func increment() {
        middle &+= 1
        if middle == 0 { high &+= 1 }
    }

    private mutating func decrement() {
        if middle == 0 { high &-= 1 }
        middle &-= 1
    }

    @inline(__always)
    mutating func add(squareOf value: Int64) {
        let (square, isWide) = value.multipliedReportingOverflow(by: value)
        if isWide { add(wideSquareOf: value) } else { add(square) }
    }

    private mutating func add(wideSquareOf value: Int64) {
        var square = WideInteger()
        (square.middle, square.low) = value.magnitude.multipliedFullWidth(by: value.magnitude)
        add(square)
    }

    mutating func add(_ other: WideInteger) {
        let (low, carry) = low.addingReportingOverflow(other.low)
        let (part, overflow) = middle.addingReportingOverflow(other.middle)
        let (middle, overflowOfCarry) = part.addingReportingOverflow(carry ? 1 : 0)
        // Only damaged bytes could make this wrap around.
        high = high &+ other.high &+ (overflow || overflowOfCarry ? 1 : 0)
        self.middle = middle
        self.low = low
    }

    /// The number, when it has 64 bits.
    var integer: Int64? {
        let integer = Int64(bitPattern: low)
        let fill = UInt64(bitPattern: integer >> 63)
        return middle == fill && high == fill ? integer : nil
    }

    /// The number as a double and what is left of it then.
    var doubles: (high: Double, low: Double) {
        let lower = UInt128(middle) << 64 | UInt128(low)
        let signed = Int128(truncatingIfNeeded: lower)
        guard high == (signed < 0 ? UInt64.max : 0) else {
            return (Double(Int64(bitPattern: high)) * 0x1p128 + Double(lower), 0)
        }
        let rounded = Double(signed)
        // 2^127, to which the greatest are rounded, has no exact counterpart; what is left is then
        // lost.
        guard let exact = Int128(exactly: rounded) else { return (rounded, 0) }
        return (rounded, Double(signed - exact))
    }

    // MARK: Stored form

    /// How many bytes the stored form has.
    var byteCount: Int {
        let fill: UInt64 = isNegative ? .max : 0
        // Where the bits that only repeat the sign end.
        let upper = high ^ fill
        let center = middle ^ fill
        let bits =
            upper != 0
            ? 192 - upper.leadingZeroBitCount
            : center != 0 ? 128 - center.leadingZeroBitCount : 64 - (low ^ fill).leadingZeroBitCount
        // One bit for the sign; nothing for 0.
        return bits == 0 && fill == 0 ? 0 : bits / 8 + 1
    }

    /// Appends the number in as few bytes as hold it: two's complement, big-endian; none for 0.
    func append(to bytes: inout [UInt8]) {
        var index = byteCount
        while index > 0 {
            index -= 1
            bytes.append(byte(index))
        }
    }

    /// The byte of that number, the lowest being 0.
    private func byte(_ index: Int) -> UInt8 {
        let word = index < 8 ? low : index < 16 ? middle : high
        return UInt8(truncatingIfNeeded: word &>> UInt64(8 * (index & 7)))
    }

    init() {}

    /// Reads that many bytes; nil when fewer would do or the bytes end.
    init?(_ bytes: Span<UInt8>, at position: inout Int, count: Int) {
        guard count <= Self.byteCountMax, bytes.count - position >= count else { return nil }
        if count > 0, bytes[position] >= 0x80 { (high, middle, low) = (.max, .max, .max) }
        for index in position..<position + count {
            if count > 8 {
                high = high &<< 8 | middle &>> 56
                middle = middle &<< 8 | low &>> 56
            }
            low = low &<< 8 | UInt64(bytes[index])
        }
        position += count
        guard byteCount == count else { return nil }
    }
}
