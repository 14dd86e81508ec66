/// A parsed filter: a tree whose height is bounded by ``ODataLimits/depthMax``.
///
/// Chains of `and` and of `or` are one node with many operands, so that a long list of
/// alternatives does not make the tree deep.
package indirect enum ODataExpression: Sendable, Equatable {
    case literal(ODataValue)
    /// A member of the item, and members of that one below it.
    case path([String])
    /// The variable of an enclosing lambda, and members below it.
    case variable(String, [String])
    case not(ODataExpression)
    case negated(ODataExpression)
    case and([ODataExpression])
    case or([ODataExpression])
    case comparison(Comparison, ODataExpression, ODataExpression)
    case arithmetic(Arithmetic, ODataExpression, ODataExpression)
    case call(ODataFunction, [ODataExpression])
    /// `cast(value, type)`; `date` and `time` are calls of their own.
    case cast(ODataExpression, ODataType)
    /// `path/$count`.
    case count(ODataExpression)
    /// `value in (a, b, ...)`.
    case membership(ODataExpression, [ODataExpression])
    /// `path/any(v: condition)` or `path/any()`.
    case any(ODataExpression, variable: String, condition: ODataExpression?)
    /// `path/all(v: condition)`.
    case all(ODataExpression, variable: String, condition: ODataExpression)

    /// The comparison operators, by their words.
    package enum Comparison: String, Sendable {
        case equal = "eq"
        case notEqual = "ne"
        case greater = "gt"
        case greaterOrEqual = "ge"
        case less = "lt"
        case lessOrEqual = "le"
    }

    /// The arithmetic operators, by their words.
    package enum Arithmetic: String, Sendable {
        case add
        case subtract = "sub"
        case multiply = "mul"
        case divide = "div"
        case remainder = "mod"
    }

    /// The value of a literal; of a date or a time of day its text.
    var constant: ODataValue? {
        switch self {
        case .literal(let value): value
        case .call(.date, let arguments), .call(.time, let arguments):
            if case .literal(let value)? = arguments.first { value } else { nil }
        default: nil
        }
    }

    /// Whether the result can be true or false, as far as the text tells.
    var canBeBoolean: Bool {
        switch self {
        case .literal(.bool), .literal(.null), .path, .variable: true
        case .literal, .negated, .arithmetic, .count: false
        case .cast(_, let type): type == .boolean
        case .call(let function, _): function.isBoolean
        case .not, .and, .or, .comparison, .membership, .any, .all: true
        }
    }
}
