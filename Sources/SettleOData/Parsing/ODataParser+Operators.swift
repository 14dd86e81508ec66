extension ODataParser {
    /// `and`-expressions joined by `or`.
    mutating func orExpression() throws(ODataError) -> ODataNode {
        try chain(.or, of: { parser throws(ODataError) in try parser.andExpression() }) {
            .disjunction($0)
        }
    }

    private mutating func andExpression() throws(ODataError) -> ODataNode {
        try chain(.and, of: { parser throws(ODataError) in try parser.comparison() }) {
            .conjunction($0)
        }
    }

    private mutating func chain(
        _ chained: ODataOperator, of rule: (inout ODataParser) throws(ODataError) -> ODataNode,
        node: ([ODataNode]) -> ODataNode
    ) throws(ODataError) -> ODataNode {
        let word = chained.word
        let position = token.position
        let first = try rule(&self)
        guard token.kind == .name(word) else { return first }
        guard first.canBeBoolean else {
            throw fault("Expected a condition before '\(word)'.", at: position)
        }
        var operands = [first]
        while take(name: word) {
            operands.append(try boolean(rule))
        }
        return node(operands)
    }

    private mutating func comparison() throws(ODataError) -> ODataNode {
        let left = try additive()
        let position = token.position
        guard let found = nextOperator, found.rank == .comparison else { return left }
        advance()
        guard case .comparison(let comparison) = found else {
            guard let membership = ODataNode.searching(try list(), for: left) else {
                throw fault(
                    "A list holds dates only, times of day only, or neither.", at: position)
            }
            return membership
        }
        let right = try additive()
        if nextOperator?.rank == .comparison {
            throw fault("Comparisons are not chained; join them with 'and'.")
        }
        return .comparing(comparison, left, right)
    }

    /// The operator that the next word is; nil when it is none.
    private var nextOperator: ODataOperator? {
        guard case .name(let word) = token.kind else { return nil }
        return ODataOperator(word: word)
    }

    private mutating func list() throws(ODataError) -> [ODataNode] {
        try expect(mark: "(", to: "to begin the list after 'in'")
        var values: [ODataNode] = []
        repeat {
            values.append(try nested { parser throws(ODataError) in try parser.additive() })
        } while take(mark: ",")
        try expect(mark: ")", to: "to end the list")
        return values
    }

    private mutating func additive() throws(ODataError) -> ODataNode {
        try arithmetic(.sum) { parser throws(ODataError) in try parser.multiplicative() }
    }

    private mutating func multiplicative() throws(ODataError) -> ODataNode {
        try arithmetic(.product) { parser throws(ODataError) in try parser.unary() }
    }

    /// A chain of operators of one rank, from left to right.
    ///
    /// Every link makes the tree one level higher on its left, so links count as depth: those of
    /// the operands too, which may be chains in parentheses.
    private mutating func arithmetic(
        _ rank: ODataRank, of rule: (inout ODataParser) throws(ODataError) -> ODataNode
    ) throws(ODataError) -> ODataNode {
        let linksBefore = linksMax
        linksMax = 0
        var left = try rule(&self)
        var links = linksMax
        while let found = nextOperator, found.rank == rank, case .arithmetic(let operation) = found
        {
            links += 1
            guard depth + links <= limits.depthMax else {
                throw fault(
                    "More than \(limits.depthMax) operators stand in a row or in one another.")
            }
            advance()
            linksMax = 0
            left = .arithmetic(operation, left, try rule(&self))
            links = max(links, linksMax + 1)
        }
        linksMax = max(linksBefore, links)
        return left
    }

    private mutating func unary() throws(ODataError) -> ODataNode {
        if take(mark: "-") { return try negation() }
        if token.kind == .name(ODataWord.not), isOperandNext {
            advance()
            return .not(
                try nested { parser throws(ODataError) in
                    try parser.boolean { parser throws(ODataError) in try parser.unary() }
                })
        }
        return try primary()
    }

    /// Whether the word after this one begins an operand, so that `not` is the operator and no
    /// member of that name.
    private var isOperandNext: Bool {
        switch tokens[min(index + 1, tokens.count - 1)].kind {
        case .name(let word): !ODataWord.followsOperand(word)
        case .string, .typed, .integer, .double: true
        case .mark(let mark): mark == "(" || mark == "-"
        case .end: false
        }
    }

    /// The operand of a minus; a number takes its sign at once, which makes -2^63 possible.
    private mutating func negation() throws(ODataError) -> ODataNode {
        switch token.kind {
        case .integer(let magnitude):
            guard magnitude <= UInt64(Int64.max) + 1 else {
                throw fault("The number does not fit 64 bits.")
            }
            advance()
            return .literal(.integer(Int64(truncatingIfNeeded: 0 &- magnitude)))
        case .double(let value):
            advance()
            return .literal(.double(-value))
        default:
            return .negated(try nested { parser throws(ODataError) in try parser.unary() })
        }
    }
}
