/// JSON text in and out (RFC 8259, strictly), without Foundation.
///
/// The answers to what the RFC leaves open: whole numbers outside the range of Int64 are an
/// error that says to quote them, unless ``JSONLargeIntegers`` says otherwise; numbers with a
/// fraction or exponent become the nearest double, one that would be infinite or vanish to zero is an error; `-0` and `-0.0` are the double -0.0;
/// two members of one name (or of canonically equivalent names) are an error; so are `\u`
/// escapes of half a surrogate pair, bytes that are not UTF-8, and a byte order mark. `\u0000`
/// is allowed.
package enum JSONText {
    /// The value that the text stands for.
    ///
    /// - Throws: `JSONError` with the reason and the place.
    package static func value(
        from text: [UInt8], limits: JSONLimits = .default,
        largeIntegers: JSONLargeIntegers = .refused
    ) throws(JSONError) -> JSONValue {
        try value(from: text.span, limits: limits, largeIntegers: largeIntegers)
    }

    /// The value that the text in a span stands for.
    ///
    /// - Throws: `JSONError` with the reason and the place.
    package static func value(
        from text: Span<UInt8>, limits: JSONLimits = .default,
        largeIntegers: JSONLargeIntegers = .refused
    ) throws(JSONError) -> JSONValue {
        let packed = try packed(from: text, limits: limits, largeIntegers: largeIntegers)
        do {
            return try packed.value()
        } catch {
            preconditionFailure("What was just packed must be readable: \(error)")
        }
    }

    /// The text, packed, without a tree of values in between.
    ///
    /// - Throws: `JSONError` with the reason and the place.
    package static func packed(
        from text: [UInt8], limits: JSONLimits = .default
    ) throws(JSONError) -> PackedValue {
        try packed(from: text.span, limits: limits)
    }

    /// The text in a span, packed, without a tree of values in between.
    ///
    /// - Throws: `JSONError` with the reason and the place.
    package static func packed(
        from text: Span<UInt8>, limits: JSONLimits = .default,
        largeIntegers: JSONLargeIntegers = .refused
    ) throws(JSONError) -> PackedValue {
        try JSONPacker.withShared { packer throws(JSONError) in
            try packer.pack(text, limits: limits, largeIntegers: largeIntegers)
        }
    }

    /// The text in a span, packed, in memory that is bounded by the text also when it is large and its values are
    /// many and small: beside the text about as much as two times what it is packed into.
    ///
    /// - Throws: `JSONError` with the reason and the place; `tooLarge` also when one object has more than
    ///   524,288 members.
    package static func packedInPieces(
        from text: Span<UInt8>, limits: JSONLimits = .default,
        largeIntegers: JSONLargeIntegers = .refused
    ) throws(JSONError) -> PackedValue {
        guard text.count > 4 * PiecewisePacker.runBytes else {
            return try packed(from: text, limits: limits, largeIntegers: largeIntegers)
        }
        var packer = PiecewisePacker(limits: limits, largeIntegers: largeIntegers)
        return try packer.pack(text)
    }

    /// The object in the text, packed without the top-level member of that name.
    ///
    /// - Parameters:
    ///   - text: The text of one JSON object.
    ///   - taking: The name of the member to leave out and give back; nil packs every member.
    ///   - limits: How large and deep the text may be.
    /// - Returns: The packed object, and the taken member, or nil when the object lacks it.
    /// - Throws: `JSONError` with the reason and the place; `unexpectedKind` when the text is no
    ///   object or the member is no string.
    package static func packedObject(
        from text: Span<UInt8>, taking: String?, limits: JSONLimits = .default
    ) throws(JSONError) -> (packed: PackedValue, taken: String?) {
        try JSONPacker.withShared { packer throws(JSONError) in
            try packer.pack(text, taking: taking, limits: limits)
        }
    }

    /// Compact text, the members sorted by the UTF-8 bytes of their names.
    ///
    /// Every Int64 and every finite double comes back from the text as it was. NaN and infinities,
    /// which JSON cannot say, become `null`, as JavaScript's `JSON.stringify` has it.
    package static func text(of value: JSONValue) -> [UInt8] {
        var output: [UInt8] = []
        JSONWriter.write(value, to: &output)
        return output
    }

    /// Compact text, the members sorted by the UTF-8 bytes of their names.
    ///
    /// - Throws: `PackedError` when the packed bytes are damaged.
    package static func text(of packed: PackedValue) throws(PackedError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(packed.bytes.count + packed.bytes.count / 4)
        try text(of: packed.bytes.span, in: 0..<packed.bytes.count, to: &output)
        return output
    }

    /// Appends compact text of the packed value that fills the range exactly.
    ///
    /// - Throws: `PackedError` when the packed bytes are damaged; what was appended until then stays.
    package static func text(
        of bytes: Span<UInt8>, in range: Range<Int>, to output: inout [UInt8]
    ) throws(PackedError) {
        let end = try JSONWriter.write(bytes, in: range, depth: 0, to: &output)
        guard end == range.upperBound else { throw PackedError(.trailingBytes, at: end) }
    }

    /// Appends compact text of a packed object together with columns, sorted by the UTF-8 bytes of all
    /// names.
    ///
    /// - Parameters:
    ///   - object: The packed object, which is sound.
    ///   - columns: The names of members that it gets, or that stand in place of its own.
    ///   - output: What is appended to.
    ///   - isWritten: Whether a member of the object is written, by its name; nil for all.
    ///   - writeValue: Appends the value of a column as JSON text, by its number.
    /// - Throws: `PackedError` when the packed bytes are damaged or no object; what was appended until
    ///   then stays.
    package static func text(
        of object: PackedValue, with columns: JSONColumns, to output: inout [UInt8],
        where isWritten: ((String) -> Bool)? = nil, _ writeValue: (Int, inout [UInt8]) -> Void
    ) throws(PackedError) {
        try JSONWriter.write(
            object.bytes.span, with: columns, where: isWritten, to: &output, writeValue)
    }

    /// Appends compact text of a packed object together with other members, sorted by the UTF-8 bytes
    /// of all names.
    ///
    /// - Parameters:
    ///   - object: The packed object, which is sound.
    ///   - columns: Members that it gets, or that stand in place of its own; ascending by the UTF-8
    ///     bytes of their names.
    ///   - output: What is appended to.
    ///   - isWritten: Whether a member of the object is written, by its name; nil for all.
    /// - Throws: `PackedError` when the packed bytes are damaged or no object; what was appended until
    ///   then stays.
    package static func text(
        of object: PackedValue, with columns: [(name: String, value: JSONValue)],
        to output: inout [UInt8], where isWritten: ((String) -> Bool)? = nil
    ) throws(PackedError) {
        try text(
            of: object, with: JSONColumns(columns.map(\.name)), to: &output, where: isWritten
        ) { number, output in
            JSONWriter.write(columns[number].value, to: &output)
        }
    }

    /// Appends compact text of a value.
    ///
    /// As ``text(of:)``.
    package static func append(_ value: JSONValue, to output: inout [UInt8]) {
        JSONWriter.write(value, to: &output)
    }

    /// Appends a string as JSON text.
    package static func append(_ text: String, to output: inout [UInt8]) {
        JSONWriter.write(text, to: &output)
    }
}
