import SettleDocuments

/// Makes conditions of a filter's JSON.
///
/// Negations are carried down to the single conditions, as CouchDB does.
struct IndexFilterReader {
    let strings: Collator.Strings
    let identifier: IdentifierName

    private static let operators = [
        "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$type", "$and",
        "$or", "$nor", "$not",
    ]

    /// The condition that a whole filter stands for.
    func condition(of json: JSONValue) throws(IndexDeclarationError) -> IndexFilterCondition {
        guard case .object = json else {
            throw IndexDeclarationError(
                at: [],
                "is an object such as {\"type\":\"order\",\"amount\":{\"$gt\":5}}, "
                    + "not \(json.kindInWords)")
        }
        do {
            // Bounds the recursion below, and keeps numbers out that no JSON has.
            _ = try PackedValue(json)
        } catch {
            throw IndexDeclarationError(
                at: [],
                "cannot be stored, because it is nested too deep, too large, or has a number that "
                    + "is not finite")
        }
        return try condition(json, of: [], isNegated: false, at: [])
    }

    /// The condition that JSON puts on the member at a path, or, with an empty path, the document.
    private func condition(
        _ json: JSONValue, of path: [String], isNegated: Bool, at place: [String]
    ) throws(IndexDeclarationError) -> IndexFilterCondition {
        guard case .object(let members) = json, !members.isEmpty || path.isEmpty else {
            guard !path.isEmpty else {
                throw IndexDeclarationError(
                    at: place,
                    "is an object with the conditions on members, not \(json.kindInWords)")
            }
            return compared(path, isNegated ? .notEqual : .equal, json)
        }
        var parts: [IndexFilterCondition] = []
        for (name, argument) in members.sorted(by: { $0.key < $1.key }) {
            let inside = place + [name]
            if name.first == "$" {
                parts.append(
                    try operation(name, argument, of: path, isNegated: isNegated, at: inside))
            } else {
                let longer = try path + Self.names(in: name, at: inside)
                parts.append(
                    try condition(argument, of: longer, isNegated: isNegated, at: inside))
            }
        }
        if parts.count == 1 { return parts[0] }
        return isNegated ? .any(parts) : .all(parts)
    }

    private func operation(
        _ name: String, _ argument: JSONValue, of path: [String], isNegated: Bool,
        at place: [String]
    ) throws(IndexDeclarationError) -> IndexFilterCondition {
        switch name {
        case "$and", "$or", "$nor":
            // None of the list: every one of it negated.
            let isNegated = name == "$nor" ? !isNegated : isNegated
            var parts: [IndexFilterCondition] = []
            for (index, element) in try Self.list(argument, at: place).enumerated() {
                parts.append(
                    try condition(
                        element, of: path, isNegated: isNegated, at: place + [String(index)]))
            }
            guard !parts.isEmpty else {
                throw IndexDeclarationError(at: place, "is a list of at least one filter")
            }
            return (name == "$and") != isNegated ? .all(parts) : .any(parts)
        case "$not":
            guard case .object = argument else {
                throw IndexDeclarationError(
                    at: place, "is a filter, an object, not \(argument.kindInWords)")
            }
            return try condition(argument, of: path, isNegated: !isNegated, at: place)
        default:
            guard Self.operators.contains(name) else {
                throw IndexDeclarationError(
                    at: place,
                    "is no operator that filters know; these are "
                        + Self.operators.joined(separator: ", "))
            }
            guard !path.isEmpty else {
                throw IndexDeclarationError(
                    at: place,
                    "stands outside of any member; write {\"amount\":{\"\(name)\":…}}")
            }
            return try test(name, argument, of: path, isNegated: isNegated, at: place)
        }
    }

    private func test(
        _ name: String, _ argument: JSONValue, of path: [String], isNegated: Bool,
        at place: [String]
    ) throws(IndexDeclarationError) -> IndexFilterCondition {
        switch name {
        case "$in", "$nin":
            let operands = try Self.list(argument, at: place).map {
                IndexFilterOperand($0, strings)
            }
            return .member(
                self.place(path), .among(operands, isExcluded: (name == "$nin") != isNegated))
        case "$exists":
            guard case .bool(let exists) = argument else {
                throw IndexDeclarationError(
                    at: place, "is true or false, not \(argument.kindInWords)")
            }
            return .member(self.place(path), .exists(exists != isNegated))
        case "$type":
            guard case .string(let text) = argument, let kind = IndexFilterTest.Kind(rawValue: text)
            else {
                throw IndexDeclarationError(
                    at: place,
                    "is 'null', 'boolean', 'number', 'string', 'array', or 'object', not "
                        + (argument.stringValue.map { "'\($0)'" } ?? argument.kindInWords))
            }
            return .member(self.place(path), .kind(kind, isExcluded: isNegated))
        default:
            guard let relation = IndexFilterTest.Relation(rawValue: name) else {
                preconditionFailure("Every operator is read: \(name).")
            }
            return compared(path, isNegated ? relation.negated : relation, argument)
        }
    }

    private func compared(
        _ path: [String], _ relation: IndexFilterTest.Relation, _ value: JSONValue
    ) -> IndexFilterCondition {
        .member(place(path), .compared(relation, IndexFilterOperand(value, strings)))
    }

    private func place(_ path: [String]) -> MemberPlace { MemberPlace(path, identifier) }

    private static func list(
        _ json: JSONValue, at place: [String]
    ) throws(IndexDeclarationError) -> [JSONValue] {
        guard case .array(let elements) = json else {
            throw IndexDeclarationError(at: place, "is a list, not \(json.kindInWords)")
        }
        return elements
    }

    /// The names that a member's name in a filter stands for: parted by dots, unless `\` precedes.
    private static func names(
        in text: String, at place: [String]
    ) throws(IndexDeclarationError) -> [String] {
        var names: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "."), !isEscaped {
                names.append([])
                continue
            }
            if byte == UInt8(ascii: "."), isEscaped { names[names.count - 1].removeLast() }
            names[names.count - 1].append(byte)
            isEscaped = byte == UInt8(ascii: "\\")
        }
        guard !names.contains([]) else {
            throw IndexDeclarationError(
                at: place, "has an empty name; the names of a path are parted by single dots")
        }
        return names.map { String(decoding: $0, as: UTF8.self) }
    }
}
