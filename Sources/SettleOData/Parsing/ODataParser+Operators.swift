extension ODataParser {
    /// `and`-expressions joined by `or`.
    mutating func orExpression() throws(ODataError) -> ODataExpression {
        try chain("or", of: { parser throws(ODataError) in try parser.andExpression() }) { .or($0) }
    }

    private mutating func andExpression() throws(ODataError) -> ODataExpression {
        try chain("and", of: { parser throws(ODataError) in try parser.comparison() }) { .and($0) }
    }

    private mutating func chain(
        _ word: String, of rule: (inout ODataParser) throws(ODataError) -> ODataExpression,
        node: ([ODataExpression]) -> ODataExpression
    ) throws(ODataError) -> ODataExpression {
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

    private mutating func comparison() throws(ODataError) -> ODataExpression {
        let left = try additive()
        let position = token.position
        if take(name: "in") {
            guard let membership = Self.membership(left, try list()) else {
                throw fault(
                    "A list holds dates only, times of day only, or neither.", at: position)
            }
            return membership
        }
        guard case .name(let word) = token.kind,
            let comparison = ODataExpression.Comparison(rawValue: word)
        else { return left }
        advance()
        let right = try additive()
        if case .name(let word) = token.kind,
            ODataExpression.Comparison(rawValue: word) != nil || word == "in"
        {
            throw fault("Comparisons are not chained; join them with 'and'.")
        }
        return Self.comparison(comparison, left, right)
    }

    private mutating func list() throws(ODataError) -> [ODataExpression] {
        try expect(mark: "(", to: "to begin the list after 'in'")
        var values: [ODataExpression] = []
        repeat {
            values.append(try nested { parser throws(ODataError) in try parser.additive() })
        } while take(mark: ",")
        try expect(mark: ")", to: "to end the list")
        return values
    }

    private mutating func additive() throws(ODataError) -> ODataExpression {
        try arithmetic([.add, .subtract]) { parser throws(ODataError) in
            try parser.multiplicative()
        }
    }

    private mutating func multiplicative() throws(ODataError) -> ODataExpression {
        try arithmetic([.multiply, .divide, .remainder]) { parser throws(ODataError) in
            try parser.unary()
        }
    }

    /// A chain of operators of one rank, from left to right.
    ///
    /// Every link makes the tree one level higher on its left, so links count as depth: those of
    /// the operands too, which may be chains in parentheses.
    private mutating func arithmetic(
        _ operators: [ODataExpression.Arithmetic],
        of rule: (inout ODataParser) throws(ODataError) -> ODataExpression
    ) throws(ODataError) -> ODataExpression {
        let linksBefore = linksMax
        linksMax = 0
        var left = try rule(&self)
        var links = linksMax
        while case .name(let word) = token.kind,
            let operation = ODataExpression.Arithmetic(rawValue: word),
            operators.contains(operation)
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

    private mutating func unary() throws(ODataError) -> ODataExpression {
        if take(mark: "-") { return try negation() }
        if token.kind == .name("not"), isOperandNext {
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
        case .name(let word):
            ODataExpression.Comparison(rawValue: word) == nil
                && ODataExpression.Arithmetic(rawValue: word) == nil
                && !["and", "or", "in", "asc", "desc"].contains(word)
        case .string, .typed, .integer, .double: true
        case .mark(let mark): mark == "(" || mark == "-"
        case .end: false
        }
    }

    /// The operand of a minus; a number takes its sign at once, which makes -2^63 possible.
    private mutating func negation() throws(ODataError) -> ODataExpression {
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
