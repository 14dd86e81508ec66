import Settle

/// JSON for people: indented, members in the order of their names.
enum JSONLayout {
    /// The value on several lines, two spaces a level.
    static func indented(_ value: JSONValue) -> String {
        var text = ""
        append(value, to: &text, level: 0, bytesMax: .max)
        return text
    }

    /// The value on several lines; nil when it would have more than so many bytes, which is found without making all of it.
    static func indented(_ value: JSONValue, bytesMax: Int) -> String? {
        var text = ""
        append(value, to: &text, level: 0, bytesMax: bytesMax)
        return text.utf8.count <= bytesMax ? text : nil
    }

    /// The names of an object in the order of their bytes.
    static func sorted(_ members: [String: JSONValue]) -> [(key: String, value: JSONValue)] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func append(
        _ value: JSONValue, to text: inout String, level: Int, bytesMax: Int
    ) {
        guard text.utf8.count <= bytesMax else { return }
        switch value {
        case .array(let elements) where !elements.isEmpty:
            append(elements, "[", "]", to: &text, level) {
                append($0, to: &$1, level: level + 1, bytesMax: bytesMax)
            }
        case .object(let members) where !members.isEmpty:
            append(sorted(members), "{", "}", to: &text, level) { member, text in
                text += JSONValue.string(member.key).jsonText + ": "
                append(member.value, to: &text, level: level + 1, bytesMax: bytesMax)
            }
        default: text += value.jsonText
        }
    }

    private static func append<Element>(
        _ elements: [Element], _ open: String, _ close: String, to text: inout String,
        _ level: Int, each: (Element, inout String) -> Void
    ) {
        text += open
        for (index, element) in elements.enumerated() {
            text += (index > 0 ? "," : "") + "\n" + String(repeating: "  ", count: level + 1)
            each(element, &text)
        }
        text += "\n" + String(repeating: "  ", count: level) + close
    }
}
