import SettleDocuments

/// Evaluates filters on trees, step by step as the description of filters says.
///
/// Negation is looked at when a condition is reached, not carried down beforehand.
enum NaiveFilter {
    static func matches(
        _ filter: JSONValue, _ document: JSONValue, id: String, _ strings: Collator.Strings
    ) -> Bool {
        holds(filter, at: [], document, id, strings, wanted: true)
    }

    /// Whether the condition on the member at a path has the wanted outcome.
    private static func holds(
        _ json: JSONValue, at path: [String], _ document: JSONValue, _ id: String,
        _ strings: Collator.Strings, wanted: Bool
    ) -> Bool {
        guard let members = json.objectValue, !members.isEmpty || path.isEmpty else {
            return single("$eq", json, at: path, document, id, strings, wanted: wanted)
        }
        let outcomes = members.map { name, argument -> Bool in
            func part(_ json: JSONValue, _ wanted: Bool) -> Bool {
                holds(json, at: path, document, id, strings, wanted: wanted)
            }
            switch name {
            case "$and", "$or", "$nor":
                let wanted = name == "$nor" ? !wanted : wanted
                let outcomes = (argument.arrayValue ?? []).map { part($0, wanted) }
                let needsAll = (name == "$and") == wanted
                return needsAll ? !outcomes.contains(false) : outcomes.contains(true)
            case "$not":
                return part(argument, !wanted)
            case _ where name.hasPrefix("$"):
                return single(name, argument, at: path, document, id, strings, wanted: wanted)
            default:
                let longer = path + name.split(separator: ".").map(String.init)
                return holds(argument, at: longer, document, id, strings, wanted: wanted)
            }
        }
        return wanted ? !outcomes.contains(false) : outcomes.contains(true)
    }

    private static func single(
        _ name: String, _ argument: JSONValue, at path: [String], _ document: JSONValue,
        _ id: String, _ strings: Collator.Strings, wanted: Bool
    ) -> Bool {
        var value: JSONValue? = document
        for step in path { value = value?[step] }
        var strings = strings
        if path == ["id"] || (path == ["_id"] && value == nil) {
            value = .string(id)
            strings = .raw
        }
        if name == "$exists" { return ((value != nil) == (argument == true)) == wanted }
        guard let value else { return false }
        let collator = Collator(strings)
        func order(_ left: JSONValue, _ right: JSONValue) -> Int {
            let (left, right) = (collator.key(for: left), collator.key(for: right))
            return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        }
        let outcome: Bool
        switch name {
        case "$eq": outcome = order(value, argument) == 0
        case "$ne": outcome = order(value, argument) != 0
        case "$lt": outcome = order(value, argument) < 0
        case "$lte": outcome = order(value, argument) <= 0
        case "$gt": outcome = order(value, argument) > 0
        case "$gte": outcome = order(value, argument) >= 0
        case "$in", "$nin":
            let isIn = (argument.arrayValue ?? []).contains { element in
                (value.arrayValue ?? [value]).contains { order($0, element) == 0 }
            }
            outcome = isIn == (name == "$in")
        default: outcome = kind(of: value) == argument.stringValue
        }
        return outcome == wanted
    }

    private static func kind(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
