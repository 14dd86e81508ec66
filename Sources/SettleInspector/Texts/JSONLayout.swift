import Settle

/// JSON for people: indented, members in the order of their names.
enum JSONLayout {
    /// The value on several lines, two spaces a level.
    static func indented(_ value: JSONValue) -> String {
        var text = ""
        append(value, to: &text, bytesMax: .max)
        return text
    }

    /// The value on several lines; nil when it would have more than so many bytes, which is found without making all of it.
    static func indented(_ value: JSONValue, bytesMax: Int) -> String? {
        var text = ""
        append(value, to: &text, bytesMax: bytesMax)
        return text.utf8.count <= bytesMax ? text : nil
    }

    /// The names of an object in the order of their bytes.
    static func sorted(_ members: [String: JSONValue]) -> [(key: String, value: JSONValue)] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// An array or object that is not at its end.
    private struct Level {
        var rest: IndexingIterator<[(name: String?, value: JSONValue)]>
        let close: String
        var isFirst = true
    }

    /// The levels stand in a list and are no calls, because a document may have hundreds.
    private static func append(_ value: JSONValue, to text: inout String, bytesMax: Int) {
        var levels: [Level] = []
        begin(value, &text, &levels)
        while var level = levels.popLast() {
            let indent = "\n" + String(repeating: "  ", count: levels.count)
            guard text.utf8.count <= bytesMax, let (name, value) = level.rest.next() else {
                text += indent + level.close
                continue
            }
            text += (level.isFirst ? "" : ",") + indent + "  "
            if let name { text += JSONValue.string(name).jsonText + ": " }
            level.isFirst = false
            levels.append(level)
            begin(value, &text, &levels)
        }
    }

    /// Writes a value, or the beginning of one with others in it.
    private static func begin(_ value: JSONValue, _ text: inout String, _ levels: inout [Level]) {
        switch value {
        case .array(let elements) where !elements.isEmpty:
            text += "["
            let rest: [(name: String?, value: JSONValue)] = elements.map { (nil, $0) }
            levels.append(Level(rest: rest.makeIterator(), close: "]"))
        case .object(let members) where !members.isEmpty:
            text += "{"
            let rest: [(name: String?, value: JSONValue)] = sorted(members).map { ($0, $1) }
            levels.append(Level(rest: rest.makeIterator(), close: "}"))
        default: text += value.jsonText
        }
    }
}
