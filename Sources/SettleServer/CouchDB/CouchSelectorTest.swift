import Settle

/// A condition of a selector on one value.
indirect enum CouchSelectorTest: Sendable {
    enum Relation: String, Sendable {
        case equal = "$eq"
        case notEqual = "$ne"
        case less = "$lt"
        case lessOrEqual = "$lte"
        case greater = "$gt"
        case greaterOrEqual = "$gte"

        var negated: Relation {
            switch self {
            case .equal: .notEqual
            case .notEqual: .equal
            case .less: .greaterOrEqual
            case .lessOrEqual: .greater
            case .greater: .lessOrEqual
            case .greaterOrEqual: .less
            }
        }
    }

    case compared(Relation, JSONValue)
    case among([JSONValue], isExcluded: Bool)
    case exists(Bool)
    case kind(String)
    case size(Int)
    case remainder(divisor: Int64, Int64)
    case pattern(CouchPattern)
    case prefix(String)
    case containsAll([JSONValue])
    /// Some element, or every one, passes.
    case elements(CouchSelector.Condition, every: Bool)
    /// Some name of a member passes.
    case names(CouchSelector.Condition)
    case not(CouchSelectorTest)

    /// Whether a value that is absent passes.
    var isOfAbsence: Bool {
        if case .exists(false) = self { true } else { false }
    }

    /// Whether a value passes.
    ///
    /// - Parameters:
    ///   - value: The value; nil for one that is absent.
    ///   - order: How texts are compared.
    /// - Returns: False for one that is absent, unless that is what it must be.
    func holds(for value: JSONValue?, by order: CouchOrder = .views) -> Bool {
        guard let value else { return isOfAbsence }
        func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
            left.couchOrder(to: right, by: order) == 0
        }
        switch self {
        case .compared(let relation, let other):
            let order = value.couchOrder(to: other, by: order)
            switch relation {
            case .equal: return order == 0
            case .notEqual: return order != 0
            case .less: return order < 0
            case .lessOrEqual: return order <= 0
            case .greater: return order > 0
            case .greaterOrEqual: return order >= 0
            }
        case .among(let list, let isExcluded):
            let values = value.arrayValue ?? [value]
            let isAmong =
                values.contains { value in list.contains { isEqual($0, value) } }
                || list.contains { isEqual($0, value) }
            return isAmong != isExcluded
        case .exists(let exists): return exists
        case .kind(let name): return value.couchKind == name
        case .size(let count): return value.arrayValue?.count == count
        case .remainder(let divisor, let rest):
            // The least number has no quotient by -1, whose rest is always 0.
            let divisor = divisor == -1 ? 1 : divisor
            return value.integerValue.map { $0 % divisor == rest } ?? false
        case .pattern(let pattern): return value.stringValue.map(pattern.matches) ?? false
        case .prefix(let text):
            return value.stringValue?.utf8.starts(with: text.utf8) ?? false
        case .containsAll(let list):
            guard let elements = value.arrayValue else { return false }
            return !list.isEmpty
                && list.allSatisfy { wanted in
                    elements.contains { isEqual($0, wanted) }
                }
        case .elements(let condition, let every):
            guard let elements = value.arrayValue, !elements.isEmpty else { return false }
            func passes(_ element: JSONValue) -> Bool {
                CouchSelector.holds(condition, for: element)
            }
            return every ? elements.allSatisfy(passes) : elements.contains(where: passes)
        case .names(let condition):
            return value.objectValue?.keys.contains {
                CouchSelector.holds(condition, for: .string($0))
            } ?? false
        case .not(let test): return !test.holds(for: value, by: order)
        }
    }
}

extension JSONValue {
    /// The name of the kind of value, as `$type` has it.
    fileprivate var couchKind: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
