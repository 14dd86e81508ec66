extension JSONValue {
    /// The value that a JSON text stands for.
    ///
    /// - Parameters:
    ///   - text: The text; strict RFC 8259. Integers that do not fit in 64 bits, member names that
    ///     stand twice, and lone surrogates are refused.
    ///   - limits: How large and deep it may be.
    /// - Throws: ``JSONError`` with the reason, line, column and offset.
    public init(jsonText text: String, limits: JSONLimits = .default) throws(JSONError) {
        self = try JSONText.value(from: Array(text.utf8), limits: limits)
    }

    /// The value as compact JSON text, the members of objects sorted by the bytes of their names.
    ///
    /// Numbers come back from the text as they were; a double that is not finite is written `null`.
    public var jsonText: String {
        String(decoding: JSONText.text(of: self), as: UTF8.self)
    }
}
