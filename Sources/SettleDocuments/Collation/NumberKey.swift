/// Numbers as bytes that order as the numbers do, integers and doubles exactly together.
///
/// Eight bytes hold the value rounded down to a double, with the sign bit flipped (all bits for
/// negative numbers) so that bytes order as numbers. From 2^53 on, where not every integer is a
/// double, two bytes follow with what is left: the value minus that double, 0 up to 1023.
enum NumberKey {
    static let exactLimit = 9_007_199_254_740_992.0

    static func append(_ value: Int64, to key: inout [UInt8]) {
        var rounded = Double(value)
        // Rounding to nearest may have gone up, even to 2^63, which no Int64 reaches.
        if rounded >= 0x1p63 || Int64(rounded) > value { rounded = rounded.nextDown }
        append(rounded, residue: UInt16(value - Int64(rounded)), to: &key)
    }

    /// - Precondition: The value is finite.
    static func append(_ value: Double, to key: inout [UInt8]) {
        append(value == 0 ? 0 : value, residue: 0, to: &key)  // -0.0 is 0
    }

    private static func append(_ value: Double, residue: UInt16, to key: inout [UInt8]) {
        key.append(CollationTag.number)
        let bits = value.bitPattern
        let ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
        for index in (0..<8).reversed() {
            key.append(UInt8(truncatingIfNeeded: ordered >> UInt64(8 * index)))
        }
        if abs(value) >= exactLimit {
            key.append(UInt8(residue >> 8))
            key.append(UInt8(residue & 0xFF))
        }
    }

    /// How many bytes follow the tag of the number that begins at that place; nil when cut short.
    static func length(in bytes: Span<UInt8>, at index: Int) -> Int? {
        guard bytes.count - index >= 8 else { return nil }
        var ordered: UInt64 = 0
        for offset in 0..<8 { ordered = ordered << 8 | UInt64(bytes[index + offset]) }
        let bits = ordered >> 63 == 1 ? ordered & ~(1 << 63) : ~ordered
        // Compared as bits, so that damaged bytes that say NaN have an answer too.
        let length = bits & ~(1 << 63) >= exactLimit.bitPattern ? 10 : 8
        return bytes.count - index >= length ? length : nil
    }
}
