import SettleDocuments

/// An expression of a query.
indirect enum QueryExpression {
    enum Unary { case not, minus, plus, complement }

    enum Binary: String {
        case or = "OR"
        case and = "AND"
        case coalesce = "??"
        case equal = "="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case concatenate = "||"
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case remainder = "%"
        case bitAnd = "&"
        case bitOr = "|"
        case bitXor = "^"
        case shiftLeft = "<<"
        case shiftRight = ">>"
        case shiftRightZero = ">>>"
    }

    case constant(JSONValue)
    case undefined
    case parameter(String)
    /// What an alias of FROM or JOIN names.
    case alias(String)
    /// A member by its name, or an element by its index.
    case member(QueryExpression, QueryExpression)
    case unary(Unary, QueryExpression)
    case binary(Binary, QueryExpression, QueryExpression)
    case conditional(QueryExpression, QueryExpression, QueryExpression)
    case isIn(QueryExpression, [QueryExpression])
    case between(QueryExpression, QueryExpression, QueryExpression)
    case like(QueryExpression, QueryExpression, escape: QueryExpression?)
    case array([QueryExpression])
    case object([(name: String, value: QueryExpression)])
    /// A function of the service, its name in capitals.
    case call(String, [QueryExpression])
    /// A function of the collection.
    case userCall(String, [QueryExpression])
    /// Whether a query has results.
    case exists(ParsedQuery)
    /// The results of a query as an array.
    case arrayOf(ParsedQuery)
    /// The one result of a query.
    case scalar(ParsedQuery)
}

extension QueryExpression {
    /// The functions over many rows.
    static let aggregateNames: Set<String> = ["COUNT", "SUM", "MIN", "MAX", "AVG"]

    /// The expressions in this one, not those of queries in it.
    var parts: [QueryExpression] {
        switch self {
        case .constant, .undefined, .parameter, .alias, .exists, .arrayOf, .scalar: []
        case .member(let first, let second), .binary(_, let first, let second): [first, second]
        case .unary(_, let operand): [operand]
        case .conditional(let first, let second, let third),
            .between(let first, let second, let third):
            [first, second, third]
        case .isIn(let operand, let list): [operand] + list
        case .like(let operand, let pattern, let escape):
            [operand, pattern] + (escape.map { [$0] } ?? [])
        case .array(let elements): elements
        case .object(let members): members.map(\.value)
        case .call(_, let arguments), .userCall(_, let arguments): arguments
        }
    }

    /// The aggregates in the expression, in the order of the text.
    var aggregates: [String] {
        if case .call(let name, _) = self, Self.aggregateNames.contains(name) { return [name] }
        return parts.flatMap(\.aggregates)
    }
}
