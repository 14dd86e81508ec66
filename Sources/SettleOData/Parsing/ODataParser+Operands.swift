extension ODataParser {
    /// A literal, a path, a call, or something in parentheses.
    mutating func primary() throws(ODataError) -> ODataNode {
        let start = token
        switch start.kind {
        case .string(let text):
            advance()
            return .literal(.string(text))
        case .integer(let magnitude):
            guard let value = Int64(exactly: magnitude) else {
                throw fault("The number does not fit 64 bits.")
            }
            advance()
            return .literal(.integer(value))
        case .double(let value):
            advance()
            return .literal(.double(value))
        case .typed(let prefix, let text):
            let literal = try typedLiteral(prefix: prefix, text: text)
            advance()
            return literal
        case .mark("("):
            advance()
            let inner = try nested { parser throws(ODataError) in try parser.orExpression() }
            try expect(mark: ")", to: "to close the parenthesis")
            return inner
        case .name(let name):
            advance()
            return try named(name, at: start.position)
        case .mark, .end:
            throw fault("Expected a value or a member, found \(start.kind.described).")
        }
    }

    private mutating func named(
        _ name: String, at position: Int
    ) throws(ODataError) -> ODataNode {
        switch token.kind {
        case .mark("(") where name.lowercased() == ODataWord.cast: return try cast()
        case .mark("("): return try call(name, at: position)
        case .mark(".") where name.lowercased() == "geo":
            throw fault(
                "The geo functions are not supported: places have no distance here.",
                at: position)
        default: break
        }
        guard !name.hasPrefix("$") else {
            throw fault("'\(name)' is not supported here.", at: position)
        }
        if dialect == .version4, token.kind != .mark("/"), let guid = ODataGuid.canonical(name) {
            return .literal(.guid(guid))
        }
        if let constant = ODataWord.constant(name) { return .literal(constant) }
        var path = [name]
        while take(mark: "/") {
            guard case .name(let member) = token.kind else {
                throw fault("Expected a member after '/', found \(token.kind.described).")
            }
            advance()
            if member == ODataWord.any || member == ODataWord.all, token.kind == .mark("(") {
                return try lambda(member, over: reference(path))
            }
            if member == ODataWord.count {
                guard token.kind != .mark("/"), token.kind != .mark("(") else {
                    throw fault("Nothing can follow $count but an operator.")
                }
                return .count(reference(path))
            }
            guard !member.hasPrefix("$") else {
                throw fault(
                    "'\(member)' is not supported in a path; only $count is.",
                    at: tokens[index - 1].position)
            }
            path.append(member)
            guard path.count <= limits.depthMax else {
                throw fault("The path has more than \(limits.depthMax) members.")
            }
        }
        return reference(path)
    }

    private func reference(_ path: [String]) -> ODataNode {
        variables.contains(path[0]) ? .variable(path[0], Array(path.dropFirst())) : .path(path)
    }

    private mutating func call(
        _ name: String, at position: Int
    ) throws(ODataError) -> ODataNode {
        guard let row = ODataFunctionName.named(name, in: dialect) else {
            let reason = ODataFunction.reasonForAbsence(of: name)
            throw fault(
                reason.map { "The function '\(name)' is not supported: \($0)." }
                    ?? "There is no function '\(name)'.", at: position)
        }
        try expect(mark: "(", to: "after '\(name)'")
        var arguments: [ODataNode] = []
        if token.kind != .mark(")") {
            repeat {
                arguments.append(
                    try nested { parser throws(ODataError) in try parser.orExpression() })
            } while take(mark: ",")
        }
        try expect(mark: ")", to: "to end the arguments of '\(name)'")
        let wanted = row.function.argumentCount
        guard wanted.contains(arguments.count) else {
            let count =
                wanted.count == 1
                ? "\(wanted.lowerBound)" : "\(wanted.lowerBound) or \(wanted.upperBound)"
            throw fault(
                "'\(name)' takes \(count) arguments, not \(arguments.count).", at: position)
        }
        return .calling(row.function, row.isReversed ? arguments.reversed() : arguments)
    }

    private mutating func lambda(
        _ word: String, over collection: ODataNode
    ) throws(ODataError) -> ODataNode {
        try expect(mark: "(", to: "after '\(word)'")
        if word == ODataWord.any, take(mark: ")") {
            return .any(collection, variable: "", condition: nil)
        }
        guard case .name(let variable) = token.kind else {
            throw fault(
                "Expected the name of a variable in '\(word)(...)', "
                    + "found \(token.kind.described).")
        }
        guard !variables.contains(variable) else {
            throw fault("The variable '\(variable)' is already taken by an outer lambda.")
        }
        guard variables.count < limits.lambdaDepthMax else {
            throw fault(
                "More than \(limits.lambdaDepthMax) of 'any' and 'all' stand inside one another.")
        }
        advance()
        try expect(mark: ":", to: "after the variable '\(variable)'")
        variables.append(variable)
        let condition = try nested { parser throws(ODataError) in
            try parser.boolean { parser throws(ODataError) in try parser.orExpression() }
        }
        variables.removeLast()
        try expect(mark: ")", to: "to end '\(word)'")
        return word == ODataWord.any
            ? .any(collection, variable: variable, condition: condition)
            : .all(collection, variable: variable, condition: condition)
    }
}
