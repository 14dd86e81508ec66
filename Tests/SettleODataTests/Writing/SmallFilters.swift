@testable import SettleOData

/// All small trees over a few leaves.
enum SmallFilters {
    private static let leaves: [ODataNode] = [
        .path(["a"]), .path(["x"]), .path(["eq"]), .literal(.integer(-1)), .literal(.bool(true)),
        .literal(.string("'")), .day("2021-03-24"),
    ]

    /// The trees of one node above leaves; of two above them, where one side is a leaf; and of two on
    /// both sides, where there are one of each kind below.
    static func all() -> [ODataNode] {
        let one = nodes(leaves, leaves)
        let few = Array(Dictionary(grouping: one, by: kind).values.compactMap(\.last))
        let mixed = Array(leaves.prefix(4))
        return leaves + one + nodes(one, mixed) + nodes(mixed, one) + nodes(few, few)
    }

    /// All nodes with these below them, on the left and on the right.
    private static func nodes(_ lefts: [ODataNode], _ rights: [ODataNode]) -> [ODataNode] {
        var nodes: [ODataNode] = []
        for left in lefts {
            nodes += [.negated(left), .call(.length, [left]), .call(.roundToEven, [left])]
            if left.constant == nil { nodes.append(.cast(left, .int32)) }
            if left.canBeBoolean {
                nodes.append(.not(left))
                let condition = left.replacing(.path(["x"]), by: .variable("x", []))
                nodes += [
                    .any(.path(["tags"]), variable: "x", condition: condition),
                    .all(.path(["eq"]), variable: "x", condition: condition),
                ]
            }
            if case .path = left {
                nodes += [.count(left), .any(left, variable: "", condition: nil)]
            }
            for right in rights {
                nodes += [
                    .comparing(.equal, left, right), .comparing(.less, left, right),
                    .call(.contains, [left, right]),
                ]
                nodes += ODataNode.Arithmetic.allCases.filter { $0 != .add && $0 != .divide }
                    .map { .arithmetic($0, left, right) }
                nodes += [[right], [right, left]].compactMap { .searching($0, for: left) }
                if left.canBeBoolean, right.canBeBoolean {
                    nodes += [.conjunction([left, right]), .disjunction([left, right])]
                }
            }
        }
        return nodes
    }

    /// What tells one kind of node from another.
    private static func kind(_ node: ODataNode) -> String {
        switch node {
        case .arithmetic(let operation, _, _): operation.rawValue
        case .call(let function, _): "\(function)"
        default: String("\(node)".prefix { $0 != "(" })
        }
    }
}

extension ODataNode {
    /// The tree with one leaf in the place of another, but for lambdas, which have their own.
    fileprivate func replacing(_ leaf: ODataNode, by other: ODataNode) -> ODataNode {
        func inner(_ node: ODataNode) -> ODataNode { node.replacing(leaf, by: other) }
        switch self {
        case leaf: return other
        case .not(let operand): return .not(inner(operand))
        case .negated(let operand): return .negated(inner(operand))
        case .and(let operands): return .and(operands.map(inner))
        case .or(let operands): return .or(operands.map(inner))
        case .comparison(let word, let left, let right):
            return .comparison(word, inner(left), inner(right))
        case .arithmetic(let word, let left, let right):
            return .arithmetic(word, inner(left), inner(right))
        case .call(let function, let arguments): return .call(function, arguments.map(inner))
        case .cast(let operand, let type): return .cast(inner(operand), type)
        case .count(let list): return .count(inner(list))
        case .membership(let value, let list): return .membership(inner(value), list.map(inner))
        case .any(let list, let variable, nil):
            return .any(inner(list), variable: variable, condition: nil)
        default: return self
        }
    }
}
