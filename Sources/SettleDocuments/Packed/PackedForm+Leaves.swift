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
        guard case .string(let text) = try whole(of: bytes, in: range) else { return nil }
        return try utf8(of: bytes, in: text)
    }

    /// The integer that fills the range; nil when something else does, or a double with a fraction.
    ///
    /// - Throws: `PackedError` when the value is damaged.
    package static func integer(
        of bytes: Span<UInt8>, in range: Range<Int>
    ) throws(PackedError) -> Int64? {
        switch try whole(of: bytes, in: range) {
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
