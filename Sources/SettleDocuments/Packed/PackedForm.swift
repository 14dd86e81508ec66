/// Reading packed values in place.
///
/// Nothing here owns bytes: every function reads from a span, which may be a page mapped from a
/// file, and trusts none of them. Whatever the bytes are, the answer is a value or a
/// `PackedError`; the work is at most in proportion to the bytes touched, and nothing outside
/// the given range is read.
package enum PackedForm {
    /// One value, as far as its head says.
    package enum Content: Sendable {
        /// JSON `null`.
        case null
        /// JSON `true` or `false`.
        case bool(Bool)
        /// A number without fraction and exponent.
        case integer(Int64)
        /// A finite number with a fraction or exponent.
        case double(Double)
        /// Where the UTF-8 of a string lies; not yet checked to be UTF-8.
        case string(Range<Int>)
        /// Where the elements of an array lie, one after another.
        case array(Range<Int>)
        /// Where the members of an object lie.
        case object(PackedMembers)
    }

    /// Reads the head of the value that begins at the range's start and lies within the range.
    ///
    /// Cost: constant.
    /// - Returns: What it is, and where it ends.
    /// - Throws: `PackedError` when the head is not canonical or the value leaves the range.
    package static func content(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> (content: Content, end: Int) {
        try head(of: bytes, in: range)
    }

    /// Reads the head of the value that fills the range exactly.
    ///
    /// - Throws: `PackedError` as `content(of:in:)`, or when something follows the value.
    package static func whole(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Content {
        let (content, end) = try head(of: bytes, in: range)
        guard end == range.upperBound else { throw PackedError(.trailingBytes, at: end) }
        return content
    }

    static func head(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> (content: Content, end: Int) {
        let start = range.lowerBound
        guard start >= 0, start < range.upperBound, range.upperBound <= bytes.count else {
            throw PackedError(.truncated, at: start)
        }
        let limit = range.upperBound
        let tag = bytes[start]
        let next = start + 1
        switch tag {
        case 0x00...0x3F:
            let end = try advance(next, by: Int(tag), limit)
            return (.string(next..<end), end)
        case 0x40...0x7F: return (.integer(Int64(tag - PackedTag.smallInteger)), next)
        case 0x80: return (.null, next)
        case 0x81: return (.bool(false), next)
        case 0x82: return (.bool(true), next)
        case 0x83...0x85:
            let (length, text) = try length(of: bytes, at: next, tag - PackedTag.string, limit)
            guard length > Int(PackedTag.shortStringMax) else {
                throw PackedError(.notCanonical, at: start)
            }
            let end = try advance(text, by: length, limit)
            return (.string(text..<end), end)
        case 0x86...0x88:
            let (length, area) = try length(of: bytes, at: next, tag - PackedTag.array, limit)
            let end = try advance(area, by: length, limit)
            return (.array(area..<end), end)
        case 0x89...0x8B:
            let members = try PackedMembers(bytes, at: start, before: limit)
            return (.object(members), members.area.upperBound)
        case 0x90...0x97, 0x98...0x9F: return try integer(of: bytes, at: start, limit)
        case 0xA0...0xA8: return try double(of: bytes, at: start, limit)
        default: throw PackedError(.unknownTag, at: start)
        }
    }

    private static func advance(
        _ index: Int, by count: Int, _ limit: Int
    ) throws(PackedError) -> Int {
        guard count <= limit - index else { throw PackedError(.truncated, at: index) }
        return index + count
    }

    /// A length of 1, 2 or 4 bytes, which must need that many.
    private static func length(
        of bytes: Span<UInt8>, at index: Int, _ widthClass: UInt8, _ limit: Int
    ) throws(PackedError) -> (length: Int, next: Int) {
        let width = 1 << Int(widthClass)
        let next = try advance(index, by: width, limit)
        let length = try number(of: bytes, at: index, width: width)
        guard PackedTag.widthClass(length) == widthClass else {
            throw PackedError(.notCanonical, at: index)
        }
        return (length, next)
    }

    /// A big-endian number of 1, 2 or 4 bytes; the caller has made sure that they are there.
    @inline(__always)
    static func number(
        of bytes: Span<UInt8>, at index: Int, width: Int
    ) throws(PackedError) -> Int {
        width == 1 ? Int(bytes[index]) : try longNumber(of: bytes, at: index, width: width)
    }

    private static func longNumber(
        of bytes: Span<UInt8>, at index: Int, width: Int
    ) throws(PackedError) -> Int {
        var number: UInt32 = 0
        for offset in 0..<width { number = number << 8 | UInt32(bytes[index + offset]) }
        // Nothing is longer than 1 GiB, and Int has 32 bits on some watches.
        guard number <= UInt32(Int32.max) else { throw PackedError(.truncated, at: index) }
        return Int(number)
    }

    private static func integer(
        of bytes: Span<UInt8>, at start: Int, _ limit: Int
    ) throws(PackedError) -> (content: Content, end: Int) {
        let isNegative = bytes[start] >= PackedTag.negative
        let count = Int(bytes[start] & 7) + 1
        let end = try advance(start + 1, by: count, limit)
        var magnitude: UInt64 = 0
        for index in (start + 1)..<end { magnitude = magnitude << 8 | UInt64(bytes[index]) }
        guard
            magnitude <= UInt64(Int64.max), PackedTag.byteCount(magnitude) == count,
            isNegative || magnitude > UInt64(PackedTag.smallIntegerMax)
        else { throw PackedError(.notCanonical, at: start) }
        let value = Int64(bitPattern: magnitude)
        return (.integer(isNegative ? ~value : value), end)
    }

    private static func double(
        of bytes: Span<UInt8>, at start: Int, _ limit: Int
    ) throws(PackedError) -> (content: Content, end: Int) {
        let count = Int(bytes[start] - PackedTag.double)
        let end = try advance(start + 1, by: count, limit)
        var bits: UInt64 = 0
        for index in 0..<count {
            bits |= UInt64(bytes[start + 1 + index]) << UInt64(56 - 8 * index)
        }
        let value = Double(bitPattern: bits)
        guard value.isFinite, PackedTag.byteCount(of: value) == count else {
            throw PackedError(.notCanonical, at: start)
        }
        return (.double(value), end)
    }
}
