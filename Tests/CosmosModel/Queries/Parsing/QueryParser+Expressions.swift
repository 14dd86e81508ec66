import SettleDocuments

extension QueryParser {
    /// An expression.
    mutating func expression() throws(ServiceFailure) -> QueryExpression {
        let condition = try coalescing()
        guard take("?") else { return condition }
        let first = try expression()
        try expect(":")
        return .conditional(condition, first, try expression())
    }

    private mutating func coalescing() throws(ServiceFailure) -> QueryExpression {
        let left = try disjunction()
        guard take("??") else { return left }
        return .binary(.coalesce, left, try coalescing())
    }

    private mutating func disjunction() throws(ServiceFailure) -> QueryExpression {
        var left = try conjunction()
        while take(keyword: "OR") { left = .binary(.or, left, try conjunction()) }
        return left
    }

    private mutating func conjunction() throws(ServiceFailure) -> QueryExpression {
        var left = try negation()
        while take(keyword: "AND") { left = .binary(.and, left, try negation()) }
        return left
    }

    private mutating func negation() throws(ServiceFailure) -> QueryExpression {
        if take(keyword: "NOT") { return .unary(.not, try negation()) }
        return try comparison()
    }

    private mutating func comparison() throws(ServiceFailure) -> QueryExpression {
        let left = try operators(level: 0)
        let isNegated = take(keyword: "NOT")
        var result: QueryExpression?
        if take(keyword: "IN") {
            try expect("(")
            result = .isIn(left, try list(until: ")"))
        } else if take(keyword: "BETWEEN") {
            let low = try operators(level: 0)
            try expect(keyword: "AND")
            result = .between(left, low, try operators(level: 0))
        } else if take(keyword: "LIKE") {
            let pattern = try operators(level: 0)
            let escape = take(keyword: "ESCAPE") ? try operators(level: 0) : nil
            result = .like(left, pattern, escape: escape)
        }
        if let result { return isNegated ? .unary(.not, result) : result }
        guard !isNegated else { throw failure() }
        guard case .symbol(let symbol) = token.kind,
            let comparison = Self.comparisons[symbol]
        else { return left }
        index += 1
        return .binary(comparison, left, try operators(level: 0))
    }

    private static let comparisons: [String: QueryExpression.Binary] = [
        "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
        ">": .greater, ">=": .greaterOrEqual,
    ]

    /// The operators that bind more than comparisons, the weakest first.
    private static let levels: [[QueryExpression.Binary]] = [
        [.bitOr], [.bitXor], [.bitAnd], [.shiftLeft, .shiftRight, .shiftRightZero],
        [.add, .subtract, .concatenate], [.multiply, .divide, .remainder],
    ]

    private mutating func operators(level: Int) throws(ServiceFailure) -> QueryExpression {
        guard level < Self.levels.count else { return try unary() }
        var left = try operators(level: level + 1)
        while case .symbol(let symbol) = token.kind,
            let found = Self.levels[level].first(where: { $0.rawValue == symbol })
        {
            index += 1
            left = .binary(found, left, try operators(level: level + 1))
        }
        return left
    }

    private mutating func unary() throws(ServiceFailure) -> QueryExpression {
        if take("-") {
            switch try unary() {
            case .constant(.integer(let value)): return .constant(.integer(-value))
            case .constant(.double(let value)): return .constant(.double(-value))
            case let operand: return .unary(.minus, operand)
            }
        }
        if take("+") { return .unary(.plus, try unary()) }
        if take("~") { return .unary(.complement, try unary()) }
        return try members(of: try primary())
    }

    private mutating func members(
        of value: QueryExpression
    ) throws(ServiceFailure) -> QueryExpression {
        var value = value
        while true {
            if take(".") {
                value = .member(value, .constant(.string(try name())))
            } else if take("[") {
                value = .member(value, try expression())
                try expect("]")
            } else {
                return value
            }
        }
    }

    /// A constant, a name, a call, or something in brackets.
    mutating func primary() throws(ServiceFailure) -> QueryExpression {
        let kind = token.kind
        index += 1
        switch kind {
        case .string(let text): return .constant(.string(text))
        case .integer(let value): return .constant(.integer(value))
        case .double(let value): return .constant(.double(value))
        case .parameter(let name): return .parameter(name)
        case .symbol("("): return try bracketed()
        case .symbol("["): return .array(try list(until: "]"))
        case .symbol("{"): return .object(try members())
        case .word(let word): return try named(word)
        default:
            index -= 1
            throw failure()
        }
    }

    private mutating func bracketed() throws(ServiceFailure) -> QueryExpression {
        if isAt(keyword: "SELECT") {
            let inner = try query()
            try expect(")")
            return .scalar(inner)
        }
        let inner = try expression()
        try expect(")")
        return inner
    }

    private mutating func list(
        until end: String
    ) throws(ServiceFailure) -> [QueryExpression] {
        if take(end) { return [] }
        var elements: [QueryExpression] = []
        repeat { elements.append(try expression()) } while take(",")
        try expect(end)
        return elements
    }

    private mutating func members() throws(ServiceFailure) -> [(String, QueryExpression)] {
        if take("}") { return [] }
        var members: [(String, QueryExpression)] = []
        repeat {
            let name: String
            switch token.kind {
            case .string(let text), .word(let text): name = text
            default: throw failure()
            }
            index += 1
            try expect(":")
            members.append((name, try expression()))
        } while take(",")
        try expect("}")
        return members
    }

    private mutating func named(_ word: String) throws(ServiceFailure) -> QueryExpression {
        let capitals = word.uppercased()
        switch capitals {
        case "TRUE": return .constant(true)
        case "FALSE": return .constant(false)
        case "NULL": return .constant(.null)
        case "UNDEFINED": return .undefined
        case "EXISTS", "ARRAY":
            try expect("(")
            let inner = try query()
            try expect(")")
            return capitals == "EXISTS" ? .exists(inner) : .arrayOf(inner)
        case "UDF" where token.kind == .symbol("."):
            index += 1
            let function = try name()
            try expect("(")
            return .userCall(function, try list(until: ")"))
        default: break
        }
        if take("(") {
            let arguments = try list(until: ")")
            guard
                QueryFunctions.names.contains(capitals)
                    || QueryExpression.aggregateNames.contains(capitals)
            else { throw .badRequest("The query calls the unknown function '\(word)'.") }
            return .call(capitals, arguments)
        }
        guard !Self.reserved.contains(capitals) else {
            index -= 1
            throw failure()
        }
        return .alias(word)
    }
}
