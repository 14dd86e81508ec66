import SettlePrimitives

/// Packs scalars, copies of packed values, and arrays of them, one after another.
///
/// For those who make many small values: the bytes come out as `PackedValue` would have them, but
/// no tree of values is made, and the memory is used again after `reset()`. Objects, whose members
/// must be sorted, are packed by `append(_: JSONValue)` alone.
package struct PackedBuilder: Sendable {
    /// What was packed so far.
    package private(set) var bytes: [UInt8] = []

    /// What was packed so far, where it lies.
    package var span: Span<UInt8> {
        @_lifetime(borrow self) get { bytes.span }
    }

    /// A builder with nothing in it.
    package init() {}

    /// A builder with nothing in it and room for that many bytes.
    package init(reservingCapacity count: Int) {
        bytes.reserveCapacity(count)
    }

    /// How many bytes were packed so far.
    package var count: Int { bytes.count }

    /// Forgets everything and keeps the memory.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends null.
    package mutating func appendNull() {
        bytes.append(PackedTag.null)
    }

    /// Appends a boolean.
    package mutating func append(_ value: Bool) {
        bytes.append(value ? PackedTag.true : PackedTag.false)
    }

    /// Appends an integer.
    package mutating func append(_ value: Int64) {
        if UInt64(bitPattern: value) <= UInt64(PackedTag.smallIntegerMax) {
            bytes.append(PackedTag.smallInteger + UInt8(truncatingIfNeeded: value))
            return
        }
        let magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
        let count = PackedTag.byteCount(magnitude)
        bytes.append((value < 0 ? PackedTag.negative : PackedTag.positive) + UInt8(count - 1))
        for place in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: magnitude >> UInt64(8 * place)))
        }
    }

    /// Appends a number.
    ///
    /// - Throws: `PackedError` when it is NaN or infinite; nothing is appended then.
    package mutating func append(_ value: Double) throws(PackedError) {
        guard value.isFinite else { throw PackedError(.notFinite) }
        let count = PackedTag.byteCount(of: value)
        bytes.append(PackedTag.double + UInt8(count))
        for place in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(56 - 8 * place)))
        }
    }

    /// Appends a string.
    ///
    /// - Throws: `PackedError` when it has more bytes than any packed value may have.
    package mutating func append(_ text: String) throws(PackedError) {
        let count = text.utf8.count
        try appendStringHead(count)
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a string that lies in a span as UTF-8.
    ///
    /// The bytes are copied, not checked.
    /// - Throws: `PackedError` when it has more bytes than any packed value may have.
    package mutating func append(utf8 text: Span<UInt8>) throws(PackedError) {
        try appendStringHead(text.count)
        bytes.append(text, in: 0..<text.count)
    }

    /// Appends a value of any kind.
    ///
    /// - Throws: `PackedError` when it has a number that is not finite, or passes a limit; nothing
    ///   is appended then.
    package mutating func append(_ value: JSONValue) throws(PackedError) {
        switch value {
        case .null: appendNull()
        case .bool(let value): append(value)
        case .integer(let value): append(value)
        case .double(let value): try append(value)
        case .string(let value): try append(value)
        case .array, .object: bytes.append(contentsOf: try PackedValue(value).bytes)
        }
    }

    /// Appends a copy of the packed value that fills the range.
    ///
    /// The bytes are copied, not checked.
    package mutating func append(copying packed: Span<UInt8>, in range: Range<Int>) {
        bytes.append(packed, in: range)
    }

    /// Begins an array; what is appended until `closeArray(_:)` are its elements.
    ///
    /// - Returns: Where the array begins, for `closeArray(_:)`.
    package mutating func openArray() -> Int {
        bytes.append(PackedTag.array)
        bytes.append(0)
        return bytes.count - 2
    }

    /// Ends the array that began there, the last one opened.
    ///
    /// - Throws: `PackedError` when it has more bytes than any packed value may have.
    package mutating func closeArray(_ start: Int) throws(PackedError) {
        let area = bytes.count - start - 2
        precondition(area >= 0, "An array is closed once, after it was opened.")
        guard area <= PackedForm.sizeMax else { throw PackedError(.tooLarge) }
        let widthClass = PackedTag.widthClass(area)
        if widthClass > 0 {
            // Longer than one byte can say, which no one knew when it was opened.
            bytes[start] = PackedTag.array + widthClass
            let width = 1 << Int(widthClass)
            let length = (0..<width).reversed().map {
                UInt8(truncatingIfNeeded: area >> (8 * $0))
            }
            bytes.replaceSubrange(start + 1..<start + 2, with: length)
        } else {
            bytes[start + 1] = UInt8(area)
        }
    }

    private mutating func appendStringHead(_ count: Int) throws(PackedError) {
        if count <= Int(PackedTag.shortStringMax) {
            bytes.append(UInt8(count))
            return
        }
        guard count <= PackedForm.sizeMax else { throw PackedError(.tooLarge) }
        let widthClass = PackedTag.widthClass(count)
        bytes.append(PackedTag.string + widthClass)
        for place in (0..<1 << Int(widthClass)).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: count >> (8 * place)))
        }
    }
}
