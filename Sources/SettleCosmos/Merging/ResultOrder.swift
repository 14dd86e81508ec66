import Settle
import SettleDocuments

extension Cosmos {
    /// Order and equality of values in queries.
    ///
    /// > Source: the comparers of the public Azure Cosmos DB SDKs: undefined, null, false, true, numbers, texts, arrays,
    /// > objects.
    enum ResultOrder {
        /// Whether a value comes before another (below 0), behind it (above 0), or neither; nil is undefined.
        static func compare(_ left: JSONValue?, _ right: JSONValue?) -> Int {
            let ranks = (rank(left), rank(right))
            guard ranks.0 == ranks.1 else { return ranks.0 < ranks.1 ? -1 : 1 }
            switch (left, right) {
            case (.bool(let left)?, .bool(let right)?):
                return left == right ? 0 : left ? 1 : -1
            case (.string(let left)?, .string(let right)?):
                if left.utf8.elementsEqual(right.utf8) { return 0 }
                return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
            case (.integer(let left)?, .integer(let right)?):
                return left == right ? 0 : left < right ? -1 : 1
            case (.integer?, _), (.double?, _):
                let (left, right) = (left?.doubleValue ?? 0, right?.doubleValue ?? 0)
                return left == right ? 0 : left < right ? -1 : 1
            default:
                // The order that the service has for arrays and objects is not documented.
                return 0
            }
        }

        /// Compares keys of an order one after the other.
        static func compare(
            _ left: [JSONValue?], _ right: [JSONValue?], isDescending: [Bool]
        ) -> Int {
            for index in 0..<min(left.count, right.count, isDescending.count) {
                let order = compare(left[index], right[index])
                if order != 0 { return isDescending[index] ? -order : order }
            }
            return 0
        }

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

        /// A text that equal values have in common, and no others.
        static func canonicalText(of value: JSONValue?) -> String {
            switch value {
            case nil: "?"
            case .double(let number)?:
                Int64(exactly: number).map { JSONValue.integer($0).jsonText }
                    ?? JSONValue.double(number).jsonText
            case .array(let elements)?:
                "[" + elements.map { canonicalText(of: $0) }.joined(separator: ",") + "]"
            case .object(let members)?:
                "{"
                    + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                    .map { "\(JSONValue.string($0.key).jsonText):\(canonicalText(of: $0.value))" }
                    .joined(separator: ",") + "}"
            case let value?: value.jsonText
            }
        }
    }
}
