import SettleDocuments

/// Equality and order of values in queries.
enum QueryOrder {
    /// Whether two values are equal; nil where their types differ.
    static func equality(_ left: JSONValue, _ right: JSONValue) -> Bool? {
        guard rank(left) == rank(right) else { return nil }
        return areSame(left, right)
    }

    /// How two values compare: below 0, 0, or above 0; nil where they have no order.
    static func comparison(_ left: JSONValue, _ right: JSONValue) -> Int? {
        guard rank(left) == rank(right), rank(left) < rank(.array([])) else { return nil }
        return order(left, right)
    }

    /// The order of ORDER BY, over all types; undefined comes first.
    static func order(_ left: JSONValue?, _ right: JSONValue?) -> Int {
        let ranks = (rank(left), rank(right))
        guard ranks.0 == ranks.1 else { return ranks.0 < ranks.1 ? -1 : 1 }
        switch (left, right) {
        case (.bool(let left), .bool(let right)):
            return left == right ? 0 : left ? 1 : -1
        case (.string(let left), .string(let right)):
            if left.utf8.elementsEqual(right.utf8) { return 0 }
            return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        case (.integer(let left), .integer(let right)):
            return left == right ? 0 : left < right ? -1 : 1
        case (.integer, _), (.double, _):
            let left = left?.doubleValue ?? 0
            let right = right?.doubleValue ?? 0
            return left == right ? 0 : left < right ? -1 : 1
        case (.array, _), (.object, _):
            // Any order will do that is always the same.
            let left = left?.jsonText ?? ""
            let right = right?.jsonText ?? ""
            return left == right ? 0 : left < right ? -1 : 1
        default: return 0
        }
    }

    /// Whether two values are the same; a number is the same with and without a fraction of zero.
    static func areSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { areSame($0, $1) }
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.allSatisfy { name, value in right[name].map { areSame(value, $0) } ?? false
                }
        default: return rank(left) == rank(right) && order(left, right) == 0
        }
    }

    /// The place of a value's type.
    private static func rank(_ value: JSONValue?) -> Int {
        switch value {
        case nil: 0
        case .null: 1
        case .bool: 2
        case .integer, .double: 3
        case .string: 4
        case .array: 5
        case .object: 6
        }
    }
}
