import Settle

/// JSON text of a value, compact for machines or indented for people.
///
/// Members are sorted by the bytes of their names. Control characters, DEL and the C1 range are
/// escaped, so that a document cannot speak to the terminal it is shown on.
enum JSONRendering {
    /// The value on one line.
    static func compact(_ value: JSONValue) -> String {
        var text = ""
        append(value, to: &text, indent: nil, .plain)
        return text
    }

    /// The value on several lines, two spaces a level.
    static func indented(_ value: JSONValue, palette: Palette = .plain) -> String {
        var text = ""
        append(value, to: &text, indent: 0, palette)
        return text
    }

    private static func append(
        _ value: JSONValue, to text: inout String, indent: Int?, _ palette: Palette
    ) {
        switch value {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .double(let value): text += number(value)
        case .string(let value): append(value, to: &text)
        case .array(let elements):
            append(elements, open: "[", close: "]", to: &text, indent: indent) {
                append($0, to: &$1, indent: $2, palette)
            }
        case .object(let members):
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            append(sorted, open: "{", close: "}", to: &text, indent: indent) {
                member, text, indent in
                var name = ""
                append(member.key, to: &name)
                text += palette.text(name, as: .name)
                text += indent == nil ? ":" : ": "
                append(member.value, to: &text, indent: indent, palette)
            }
        }
    }

    private static func append<Element>(
        _ elements: [Element], open: String, close: String, to text: inout String, indent: Int?,
        each: (Element, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indent.map { $0 + 1 }
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: "  ", count: inner) }
            each(element, &text, inner)
        }
        if let indent, !elements.isEmpty {
            text += "\n" + String(repeating: "  ", count: indent)
        }
        text += close
    }

    /// A double as JSON writes it; NaN and the infinities, which JSON has no words for, as null.
    private static func number(_ value: Double) -> String {
        value.isFinite ? "\(value)" : "null"
    }

    private static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": text += escape(scalar)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
