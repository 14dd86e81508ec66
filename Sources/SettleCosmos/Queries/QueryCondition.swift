import SettleDocuments

extension Cosmos {
    /// A condition of a query on a member of the documents.
    ///
    /// Members are named by paths such as `address.city`. Whatever a path and a value hold, they stay a path and a value:
    /// they are quoted.
    public struct Condition: Sendable, Hashable {
        /// How two things are compared.
        enum Comparison: String, Sendable, Hashable {
            case equal = "="
            case notEqual = "!="
            case less = "<"
            case lessOrEqual = "<="
            case greater = ">"
            case greaterOrEqual = ">="
        }

        indirect enum Form: Sendable, Hashable {
            case comparison(path: String, Comparison, JSONValue)
            case member(path: String, of: [JSONValue])
            case distance(path: String, shape: String, Comparison, Double)
            case within(path: String, shape: String)
            case intersects(path: String, shape: String)
            case both(Condition, Condition)
            case either(Condition, Condition)
        }

        let form: Form

        init(_ form: Form) { self.form = form }

        init(_ path: String, _ comparison: Comparison, _ value: any QueryValue) {
            form = .comparison(path: path, comparison, value.queryValue)
        }

        init(
            distanceFrom path: String, to shape: some Geometry, _ comparison: Comparison,
            _ metres: Double
        ) {
            form = .distance(path: path, shape: shape.queryText, comparison, metres)
        }

        /// Both hold.
        public static func && (left: Condition, right: Condition) -> Condition {
            Condition(.both(left, right))
        }

        /// One of them holds, or both do.
        public static func || (left: Condition, right: Condition) -> Condition {
            Condition(.either(left, right))
        }
    }
}
