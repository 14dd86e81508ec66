/// A filter as a tree, which ``ODataParser`` reads and ``ODataWriter`` writes.
///
/// The height of what was read is bounded by ``ODataLimits/depthMax``; that of what an application
/// builds is not, until it is written.
///
/// Chains of `and` and of `or` are one node with many operands, so that a long list of
/// alternatives does not make the tree deep; ``conjunction(_:)`` and its like see to that.
package indirect enum ODataNode: Sendable, Hashable {
    case literal(ODataValue)
    /// A literal in a form of its own, which a client writes; read, it is a plain literal.
    case spelled(ODataSpelling)
    /// A condition in a server's own words, which a client sends as they are. It is never read, and
    /// has no value.
    case verbatim(String)
    /// A member of the item, and members of that one below it.
    case path([String])
    /// The variable of an enclosing lambda, and members below it.
    case variable(String, [String])
    case not(ODataNode)
    case negated(ODataNode)
    case and([ODataNode])
    case or([ODataNode])
    case comparison(Comparison, ODataNode, ODataNode)
    case arithmetic(Arithmetic, ODataNode, ODataNode)
    case call(ODataFunction, [ODataNode])
    /// `cast(value, type)`; `date` and `time` are calls of their own.
    case cast(ODataNode, ODataType)
    /// `path/$count`.
    case count(ODataNode)
    /// `value in (a, b, ...)`.
    case membership(ODataNode, [ODataNode])
    /// `path/any(v: condition)` or `path/any()`.
    case any(ODataNode, variable: String, condition: ODataNode?)
    /// `path/all(v: condition)`.
    case all(ODataNode, variable: String, condition: ODataNode)

    /// The comparison operators, by their words.
    package enum Comparison: String, Sendable, CaseIterable {
        case equal = "eq"
        case notEqual = "ne"
        case greater = "gt"
        case greaterOrEqual = "ge"
        case less = "lt"
        case lessOrEqual = "le"
    }

    /// The arithmetic operators, by their words.
    package enum Arithmetic: String, Sendable, CaseIterable {
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
        case .spelled(let spelling): spelling.value
        case .call(.date, let arguments), .call(.time, let arguments):
            if case .literal(let value)? = arguments.first { value } else { nil }
        default: nil
        }
    }

    /// Whether the result can be true or false, as far as the text tells.
    var canBeBoolean: Bool {
        switch self {
        case .literal(.bool), .literal(.null), .path, .variable: true
        case .literal, .spelled, .negated, .arithmetic, .count: false
        case .cast(_, let type): type == .boolean
        case .call(let function, _): function.isBoolean
        case .not, .and, .or, .comparison, .membership, .any, .all, .verbatim: true
        }
    }
}

extension ODataNode {
    /// The function that makes a day or a time of day, when this is the call of one.
    var calendarPart: ODataFunction? {
        switch self {
        case .call(.date, _): .date
        case .call(.time, _): .time
        default: nil
        }
    }

    /// What stands directly below.
    package var children: [ODataNode] {
        switch self {
        case .literal, .spelled, .verbatim, .path, .variable: []
        case .not(let operand), .negated(let operand), .cast(let operand, _),
            .count(let operand):
            [operand]
        case .and(let operands), .or(let operands), .call(_, let operands): operands
        case .comparison(_, let left, let right), .arithmetic(_, let left, let right):
            [left, right]
        case .membership(let value, let list): [value] + list
        case .any(let collection, _, let condition):
            [collection] + (condition.map { [$0] } ?? [])
        case .all(let collection, _, let condition): [collection, condition]
        }
    }
}
