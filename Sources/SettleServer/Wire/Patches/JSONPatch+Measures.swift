import Settle

extension JSONPatch {
    /// How many levels of arrays and objects a value has.
    ///
    /// Safe for every value that came from a body or that patches have made, which are not deeper
    /// than a body may be.
    static func depth(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): 1 + elements.reduce(0) { max($0, depth($1)) }
        case .object(let members): 1 + members.values.reduce(0) { max($0, depth($1)) }
        default: 0
        }
    }

    /// How many elements and members a value has in it; stops counting behind a limit.
    static func count(_ value: JSONValue, limit: Int) -> Int {
        var count = 0
        var waiting = [value]
        while count <= limit, let next = waiting.popLast() {
            switch next {
            case .array(let elements):
                count += elements.count
                waiting += elements
            case .object(let members):
                count += members.count
                waiting += members.values
            case .null, .bool, .integer, .double, .string: break
            }
        }
        return count
    }

    /// About how many bytes a value takes as text; stops counting behind a limit.
    static func size(_ value: JSONValue, limit: Int) -> Int {
        var size = 0
        var waiting = [value]
        while size <= limit, let next = waiting.popLast() {
            switch next {
            case .string(let text): size += 2 + text.utf8.count
            case .array(let elements):
                size += 2
                waiting += elements
            case .object(let members):
                size += 2
                for (name, member) in members {
                    size += 4 + name.utf8.count
                    waiting.append(member)
                }
            case .null, .bool, .integer, .double: size += 8
            }
        }
        return size
    }

    /// Whether two values are the same to a test: numbers by their value, strings by their bytes.
    static func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.integer, .double), (.double, .integer), (.double, .double):
            if let left = left.integerValue, let right = right.integerValue {
                return left == right
            }
            return left.doubleValue == right.doubleValue
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { isEqual($0, $1) }
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.allSatisfy { name, value in
                    right[name].map { isEqual(value, $0) } ?? false
                }
        default: return left == right
        }
    }
}
