import Settle

/// A field of a CSV text as a value, and a value as a field.
///
/// CSV knows text alone. What stands in quotes stays text; so whatever else would be read as something that it is not
/// is written in quotes, and each value but null, arrays and objects comes back as it was.
enum CSVField {
    /// The most digits of a fraction that a double surely gives back.
    private static let digitsMax = 15

    /// The value of a field.
    ///
    /// - Parameters:
    ///   - text: The text, without quotes around it.
    ///   - isQuoted: Whether quotes stood around it.
    /// - Returns: A number, a boolean, or text; nil when nothing stood there.
    static func value(of text: String, isQuoted: Bool) -> JSONValue? {
        if isQuoted { return .string(text) }
        switch text {
        case "": return nil
        case "true": return true
        case "false": return false
        default: return number(text) ?? .string(text)
        }
    }

    /// The number that a text is, as JSON writes it.
    ///
    /// Digits after a leading zero, a plus, and an exponent without a sign or a point (12e5) are signs of a code rather than a
    /// number, and remain text; so do more digits than a number surely keeps, but for those with which Settle writes one.
    private static func number(_ text: String) -> JSONValue? {
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || isDigit(first),
            let last = text.utf8.last, isDigit(last), text != "-0",
            let value = try? JSONValue(jsonText: text)
        else { return nil }
        switch value {
        case .integer: return value
        case .double(let number):
            let parts = text.utf8.split { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
            guard number.isFinite, let mantissa = parts.first else { return nil }
            let isMarked =
                parts.count == 1 || mantissa.contains(UInt8(ascii: "."))
                || parts[1].first.map { !isDigit($0) } == true
            let digits = mantissa.filter(isDigit).drop { $0 == UInt8(ascii: "0") }
            guard digits.count <= digitsMax else {
                return JSONRendering.compact(value) == text ? value : nil
            }
            return isMarked ? value : nil
        default: return nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// A value as a field, in quotes where it needs them; null and nothing are an empty one.
    static func text(of value: JSONValue?, separator: UInt8) -> String {
        switch value {
        case nil, .null?: return ""
        case .string(let text)?:
            let isPlain =
                Self.value(of: text, isQuoted: false) == .string(text)
                && !text.utf8.contains {
                    $0 == separator || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D
                } && text.utf8.first != 0x20 && text.utf8.last != 0x20
            return isPlain ? text : quoted(text)
        case .array?, .object?: return quoted(JSONRendering.compact(value ?? .null))
        case let other?: return JSONRendering.compact(other)
        }
    }

    private static func quoted(_ text: String) -> String {
        "\""
            + text.split(separator: "\"", omittingEmptySubsequences: false).joined(
                separator: "\"\"")
            + "\""
    }
}
