@testable import SettleOData

extension ODataNode {
    /// What a reader of a version makes of the text of this tree: what the version has no words for is
    /// said with others, spelled literals are plain ones, variables are called by their depth.
    func asRead(in dialect: ODataDialect, inside variables: [String] = []) -> ODataNode {
        func read(_ node: ODataNode) -> ODataNode { node.asRead(in: dialect, inside: variables) }
        func inside(_ variable: String, _ condition: ODataNode) -> ODataNode {
            condition.asRead(in: dialect, inside: variables + [variable])
        }
        let own = "v\(variables.count)"
        switch self {
        case .literal, .path, .verbatim: return self
        case .spelled(let spelling): return .literal(spelling.value)
        case .variable(let name, let path):
            guard let index = variables.lastIndex(of: name) else { return self }
            return .variable("v\(index)", path)
        case .not(let operand): return .not(read(operand))
        case .negated(let operand): return .negated(read(operand))
        case .and(let operands): return .and(flat(operands.map(read)) { $0.andOperands })
        case .or(let operands): return .or(flat(operands.map(read)) { $0.orOperands })
        case .comparison(let comparison, let left, let right):
            return .comparison(comparison, read(left), read(right))
        case .arithmetic(let operation, let left, let right):
            return .arithmetic(operation, read(left), read(right))
        case .call(.roundToEven, let arguments) where dialect == .version3:
            return .call(.roundAwayFromZero, arguments.map(read))
        case .call(.roundAwayFromZero, let arguments) where dialect == .version4:
            return .call(.roundToEven, arguments.map(read))
        case .call(let function, let arguments): return .call(function, arguments.map(read))
        case .cast(let operand, let type): return .cast(read(operand), type)
        case .count(let list): return .count(read(list))
        case .membership(_, let list) where list.isEmpty:
            return .comparison(.equal, .literal(.integer(1)), .literal(.integer(0)))
        case .membership(let value, let list) where dialect == .version3:
            let comparisons = list.map { ODataNode.comparison(.equal, read(value), read($0)) }
            return comparisons.count == 1 ? comparisons[0] : .or(comparisons)
        case .membership(let value, let list): return .membership(read(value), list.map(read))
        case .any(let list, _, nil): return .any(read(list), variable: "", condition: nil)
        case .any(let list, let variable, let condition?):
            return .any(read(list), variable: own, condition: inside(variable, condition))
        case .all(let list, let variable, let condition):
            return .all(read(list), variable: own, condition: inside(variable, condition))
        }
    }

    private func flat(
        _ operands: [ODataNode], _ inner: (ODataNode) -> [ODataNode]?
    ) -> [ODataNode] {
        operands.flatMap { inner($0) ?? [$0] }
    }

    private var andOperands: [ODataNode]? {
        if case .and(let operands) = self { operands } else { nil }
    }

    private var orOperands: [ODataNode]? {
        if case .or(let operands) = self { operands } else { nil }
    }

    /// Whether only version 4 has words for something in the tree.
    var needsVersion4: Bool {
        if case .call(let function, _) = self,
            [.date, .time, .fractionalSeconds].contains(function)
        {
            return true
        }
        if case .membership(_, let list) = self, list.isEmpty { return false }
        return children.contains { $0.needsVersion4 }
    }
}
