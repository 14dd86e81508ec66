/// Single values as Swift has them.
///
/// Numbers convert as `JSONValue.integerValue` and `JSONValue.doubleValue` do: a whole double in
/// range is an integer too, and an integer a double.
extension PackedForm {
    /// The string that fills the range; nil when something else does.
    ///
    /// - Throws: `PackedError` when the value is damaged.
    package static func string(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> String? {
        let text: Range<Int>
        if isShortString(bytes, in: range) {
            text = range.lowerBound + 1..<range.upperBound
        } else {
            guard case .string(let long) = try whole(of: bytes, in: range) else { return nil }
            text = long
        }
        return try utf8(of: bytes, in: text)
    }

    /// The integer that fills the range; nil when something else does, or a double with a fraction.
    ///
    /// - Throws: `PackedError` when the value is damaged.
    package static func integer(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Int64? {
        if let small = smallInteger(bytes, in: range) { return small }
        return switch try whole(of: bytes, in: range) {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number that fills the range, rounded to a double; nil when something else does.
    ///
    /// - Throws: `PackedError` when the value is damaged.
    package static func double(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Double? {
        switch try whole(of: bytes, in: range) {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The boolean that fills the range; nil when something else does.
    ///
    /// - Throws: `PackedError` when the value is damaged.
    package static func bool(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Bool? {
        if case .bool(let value) = try whole(of: bytes, in: range) { value } else { nil }
    }

    /// Whether the value that fills the range is null.
    ///
    /// - Throws: `PackedError` when the value is damaged.
    package static func isNull(
        _ bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Bool {
        if case .null = try whole(of: bytes, in: range) { true } else { false }
    }

    /// How many elements an array has whose elements lie there, as far as their heads are sound.
    ///
    /// - Parameters:
    ///   - bytes: What they lie in.
    ///   - area: Where they lie.
    ///   - limit: The most that are counted.
    /// - Returns: How many there are, at most the limit.
    static func elementCount(_ bytes: Span<UInt8>, in area: Range<Int>, atMost limit: Int) -> Int {
        var (count, next) = (0, area.lowerBound)
        while next < area.upperBound, count < limit,
            let end = try? content(of: bytes, in: next..<area.upperBound).end
        {
            next = end
            count += 1
        }
        return count
    }

    /// Whether a string whose length is its tag fills the range, as most strings do.
    @inline(__always)
    static func isShortString(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard isWithin(bytes, range) else { return false }
        let tag = bytes[range.lowerBound]
        return tag <= PackedTag.shortStringMax && Int(tag) == range.count &- 1
    }

    /// The integer that fills the range in at most three bytes, as most integers do.
    @inline(__always)
    static func smallInteger(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int64? {
        guard isWithin(bytes, range) else { return nil }
        let tag = bytes[range.lowerBound]
        switch range.count {
        case 1 where tag &- PackedTag.smallInteger <= UInt8(PackedTag.smallIntegerMax):
            return Int64(tag &- PackedTag.smallInteger)
        case 2 where tag == PackedTag.positive:
            let value = Int64(bytes[range.lowerBound &+ 1])
            return value > PackedTag.smallIntegerMax ? value : nil
        case 3 where tag == PackedTag.positive + 1:
            let value =
                Int64(bytes[range.lowerBound &+ 1]) << 8 | Int64(bytes[range.lowerBound &+ 2])
            return value > 0xFF ? value : nil
        default: return nil
        }
    }

    @inline(__always)
    private static func isWithin(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.lowerBound >= 0 && range.lowerBound < range.upperBound
            && range.upperBound <= bytes.count
    }

    /// Appends the packed form of a string.
    static func append(_ text: String, to bytes: inout [UInt8]) throws(PackedError) {
        let count = text.utf8.count
        guard count <= Int(PackedTag.shortStringMax) else {
            bytes.append(contentsOf: try PackedValue(.string(text)).bytes)
            return
        }
        bytes.append(UInt8(count))
        bytes.append(contentsOf: text.utf8)
    }
}
