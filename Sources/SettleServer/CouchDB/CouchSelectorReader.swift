import Settle

/// Makes conditions of a selector's JSON.
enum CouchSelectorReader {
    /// How deep selectors are nested at most.
    private static let depthMax = 100

    static func condition(
        _ json: JSONValue, of path: [String], isNegated: Bool, depth: Int
    ) throws(CouchError) -> CouchSelector.Condition {
        guard depth < depthMax else { throw .invalidSelector("Selector is nested too deep") }
        guard case .object(let members) = json, !members.isEmpty || path.isEmpty else {
            return .member(path, .compared(isNegated ? .notEqual : .equal, json))
        }
        var parts: [CouchSelector.Condition] = []
        for (name, argument) in members.sorted(by: { $0.key < $1.key }) {
            if name.first == "$" {
                parts.append(
                    try operation(
                        name, argument, of: path, isNegated: isNegated, depth: depth + 1))
            } else {
                parts.append(
                    try condition(
                        argument, of: path + names(in: name), isNegated: isNegated,
                        depth: depth + 1))
            }
        }
        if parts.count == 1 { return parts[0] }
        return isNegated ? .any(parts) : .all(parts)
    }

    /// The names that a text stands for: parted by dots, unless `\` precedes.
    static func names(in text: String) -> [String] {
        var names = [""]
        var isEscaped = false
        for character in text {
            if character == ".", isEscaped {
                names[names.count - 1].removeLast()
                names[names.count - 1].append(character)
            } else if character == "." {
                names.append("")
            } else {
                names[names.count - 1].append(character)
            }
            isEscaped = character == "\\"
        }
        return names
    }

    private static func operation(
        _ name: String, _ argument: JSONValue, of path: [String], isNegated: Bool, depth: Int
    ) throws(CouchError) -> CouchSelector.Condition {
        switch name {
        case "$and", "$or", "$nor":
            let isNegated = name == "$nor" ? !isNegated : isNegated
            var parts: [CouchSelector.Condition] = []
            for element in try list(argument, of: name) {
                parts.append(
                    try condition(element, of: path, isNegated: isNegated, depth: depth))
            }
            // An empty list holds for everything, whatever it is a list of.
            if parts.isEmpty { return isNegated && name != "$nor" ? .any([]) : .all([]) }
            return (name == "$and") != isNegated ? .all(parts) : .any(parts)
        case "$not":
            return try condition(argument, of: path, isNegated: !isNegated, depth: depth)
        default:
            let test = try test(name, argument, depth: depth)
            return .member(path, isNegated ? negated(test) : test)
        }
    }

    private static func negated(_ test: CouchSelectorTest) -> CouchSelectorTest {
        switch test {
        case .compared(let relation, let value): .compared(relation.negated, value)
        case .among(let list, let isExcluded): .among(list, isExcluded: !isExcluded)
        case .exists(let exists): .exists(!exists)
        case .not(let test): test
        default: .not(test)
        }
    }

    private static func test(
        _ name: String, _ argument: JSONValue, depth: Int
    ) throws(CouchError) -> CouchSelectorTest {
        let bad = CouchError.invalidSelector("Bad argument for operator \(name)")
        if let relation = CouchSelectorTest.Relation(rawValue: name) {
            return .compared(relation, argument)
        }
        switch name {
        case "$in", "$nin":
            return .among(try list(argument, of: name), isExcluded: name == "$nin")
        case "$all": return .containsAll(try list(argument, of: name))
        case "$exists":
            guard let exists = argument.boolValue else { throw bad }
            return .exists(exists)
        case "$type":
            guard let kind = argument.stringValue else { throw bad }
            return .kind(kind)
        case "$size":
            guard let count = argument.integerValue, count >= 0 else { throw bad }
            return .size(Int(clamping: count))
        case "$mod":
            guard let parts = argument.arrayValue?.map(\.integerValue), parts.count == 2,
                let divisor = parts[0], let rest = parts[1], divisor != 0
            else { throw bad }
            return .remainder(divisor: divisor, rest)
        case "$regex":
            guard let text = argument.stringValue, let pattern = try? CouchPattern(text) else {
                throw bad
            }
            return .pattern(pattern)
        case "$beginsWith":
            guard let text = argument.stringValue else { throw bad }
            return .prefix(text)
        case "$elemMatch", "$allMatch":
            let inner = try condition(argument, of: [], isNegated: false, depth: depth)
            return .elements(inner, every: name == "$allMatch")
        case "$keyMapMatch":
            return .names(try condition(argument, of: [], isNegated: false, depth: depth))
        default: throw .invalidSelector("Invalid operator: \(name)")
        }
    }

    private static func list(
        _ json: JSONValue, of name: String
    ) throws(CouchError) -> [JSONValue] {
        guard let list = json.arrayValue else {
            throw .invalidSelector("Bad argument for operator \(name)")
        }
        return list
    }
}
