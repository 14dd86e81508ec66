/// Writes values.
enum ODataLiteral {
    /// A value as text.
    ///
    /// - Throws: ``ODataWriteError`` when the value has no literal.
    static func text(
        of value: ODataValue, _ dialect: ODataDialect
    ) throws(ODataWriteError) -> String {
        switch value {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .integer(let value):
            return Int32(exactly: value) == nil ? "\(value)L" : "\(value)"
        case .double(let value): return try digits(value.description)
        case .string(let text): return quoted(text)
        case .guid(let text):
            guard let guid = ODataGuid.canonical(text) else {
                throw ODataWriteError("A filter compares to an identifier that is no guid.")
            }
            return typed(guid, "guid", "Guid", dialect)
        case .instant(let instant):
            return typed(try time(instant), "datetimeoffset", "DateTimeOffset", dialect)
        case .array, .object, .packedArray, .packedObject:
            throw ODataWriteError(
                "A filter compares to an array or an object; they have no literal.")
        }
    }

    /// A literal in the form that it asks for.
    ///
    /// - Throws: ``ODataWriteError`` when it has none.
    static func text(
        of spelling: ODataSpelling, _ dialect: ODataDialect
    ) throws(ODataWriteError) -> String {
        switch spelling {
        case .single(let value): return try digits(value.description) + "f"
        case .decimal(let text): return try digits(text) + "M"
        case .dateTime(let instant):
            return typed(try time(instant), "datetime", "DateTimeOffset", dialect)
        case .timestamp(let text):
            guard ODataTimeText.isTimestamp(text) else { throw notATime }
            return typed(text, "datetimeoffset", "DateTimeOffset", dialect)
        case .received(let text):
            guard ODataTimeText.isMadeOfTime(text) else { throw notATime }
            return typed(text, "datetimeoffset", "DateTimeOffset", dialect)
        case .impossible:
            throw ODataWriteError(
                "A filter compares to a day or a time of day that no calendar or clock has.")
        }
    }

    /// A string between single quotes, with those inside doubled.
    ///
    /// Scalar by scalar: a quote with an accent on it is one character for Swift, and a quote all
    /// the same for a server.
    static func quoted(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        result.append("'")
        for scalar in text.unicodeScalars {
            if scalar == "'" { result.append("'") }
            result.append(scalar)
        }
        result.append("'")
        return String(result)
    }

    /// A literal that says its type: before the quotes in version 3, by a cast in version 4.
    private static func typed(
        _ text: String, _ prefix: String, _ type: String, _ dialect: ODataDialect
    ) -> String {
        dialect == .version3 ? "\(prefix)'\(text)'" : "\(ODataWord.cast)(\(text),Edm.\(type))"
    }

    /// The digits of a number as Swift describes it, in the form that all servers read: a `+` before an
    /// exponent is left away, and there is always a point before it.
    private static func digits(_ description: String) throws(ODataWriteError) -> String {
        guard ODataSpelling.number(description) != nil else {
            throw ODataWriteError(
                "A filter compares to a number that is infinite or none; it has no literal.")
        }
        let parts = description.split(separator: "e")
        guard parts.count == 2 else { return description }
        let mantissa = parts[0].contains(".") ? "\(parts[0])" : "\(parts[0]).0"
        return "\(mantissa)e\(parts[1].filter { $0 != "+" })"
    }

    // MARK: Times

    private static func time(_ instant: Instant) throws(ODataWriteError) -> String {
        guard let text = ODataTimeText.text(of: instant) else {
            throw ODataWriteError("A filter compares to a time outside of the years 1 to 9999.")
        }
        return text
    }

    private static let notATime = ODataWriteError(
        "A filter compares to a text that is no time; write it like 2026-11-21T03:04:05.123Z.")

    /// A day or a time of day.
    ///
    /// - Parameters:
    ///   - text: What is between the quotes of the parser's literal.
    ///   - part: ``ODataFunction/date`` or ``ODataFunction/time``.
    ///   - dialect: The version.
    /// - Returns: The literal; nil when the text is none, so that the function is called in earnest.
    /// - Throws: ``ODataWriteError`` in version 3, which has no such literal.
    static func text(
        of text: String, as part: ODataFunction, _ dialect: ODataDialect
    ) throws(ODataWriteError) -> String? {
        let literal: String
        if part == .date, Day(text: text) != nil {
            literal = "\(text),\(ODataType.date.rawValue)"
        } else if part == .time, let time = TimeOfDay(text: text) {
            literal = "\(ODataTimeText.text(of: time)),\(ODataType.timeOfDay.rawValue)"
        } else {
            return nil
        }
        guard dialect == .version4 else {
            throw ODataWriteError(
                "A filter compares to a day or a time of day, which the older protocol cannot "
                    + "write; compare to points in time instead.")
        }
        return "\(ODataWord.cast)(\(literal))"
    }
}
