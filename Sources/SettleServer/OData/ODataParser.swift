/// Reads `$filter` and `$orderby` texts of OData version 3, by recursive descent.
///
/// From loose to tight: `or`, `and`, comparisons and `in`, `add sub`, `mul div mod`, then
/// `not` and minus, then literals, paths, calls, lambdas and parentheses. Operators are written
/// in lower case; words become operators only where an operator can stand, so that a member may
/// be called `eq`.
///
/// > Source: OData version 3.0, "URI Conventions", 10.2.3.6; precedence as in its table.
struct ODataParser {
    var tokens: [ODataToken]
    var index = 0
    var depth = 0
    var variables: [String] = []
    let limits: ODataLimits

    private init(text: String, limits: ODataLimits) throws(ODataError) {
        guard text.utf8.count <= limits.textBytesMax else {
            throw ODataError(
                message: "The text is longer than \(limits.textBytesMax) bytes; "
                    + "ask with several shorter requests.", position: nil)
        }
        var tokenizer = ODataTokenizer(text: text)
        tokens = try tokenizer.tokens()
        self.limits = limits
    }

    /// Parses a filter.
    ///
    /// - Parameters:
    ///   - text: The decoded value of `$filter`.
    ///   - limits: The longest and deepest text to take.
    /// - Returns: The tree, whose value is true for the items that are wanted.
    /// - Throws: ``ODataError`` with the place of the first fault, or naming the limit.
    static func filter(
        _ text: String, limits: ODataLimits = .standard
    ) throws(ODataError) -> ODataExpression {
        var parser = try ODataParser(text: text, limits: limits)
        let expression = try parser.boolean { parser throws(ODataError) in
            try parser.orExpression()
        }
        try parser.expectEnd()
        return expression
    }

    /// Parses an order: expressions with `asc` or `desc` behind them, separated by commas.
    ///
    /// - Parameters:
    ///   - text: The decoded value of `$orderby`.
    ///   - limits: The longest and deepest text to take.
    /// - Returns: The sort keys, the first the most important.
    /// - Throws: ``ODataError`` as for a filter.
    static func order(
        _ text: String, limits: ODataLimits = .standard
    ) throws(ODataError) -> [ODataSortKey] {
        var parser = try ODataParser(text: text, limits: limits)
        var keys: [ODataSortKey] = []
        repeat {
            let expression = try parser.orExpression()
            let isDescending = parser.take(name: "desc")
            if !isDescending { _ = parser.take(name: "asc") }
            keys.append(ODataSortKey(expression: expression, isDescending: isDescending))
        } while parser.take(mark: ",")
        try parser.expectEnd()
        return keys
    }

    // MARK: Words

    var token: ODataToken { tokens[index] }

    func fault(_ message: String, at position: Int? = nil) -> ODataError {
        ODataError(message: message, position: position ?? token.position)
    }

    mutating func advance() {
        if index < tokens.count - 1 { index += 1 }
    }

    mutating func take(name: String) -> Bool {
        guard token.kind == .name(name) else { return false }
        advance()
        return true
    }

    mutating func take(mark: Character) -> Bool {
        guard token.kind == .mark(mark) else { return false }
        advance()
        return true
    }

    mutating func expect(mark: Character, to purpose: String) throws(ODataError) {
        guard take(mark: mark) else {
            throw fault("Expected '\(mark)' \(purpose), found \(token.kind.described).")
        }
    }

    private func expectEnd() throws(ODataError) {
        guard token.kind == .end else {
            throw fault("Expected an operator or the end, found \(token.kind.described).")
        }
    }

    /// Runs a rule one level deeper.
    mutating func nested<Result>(
        _ rule: (inout ODataParser) throws(ODataError) -> Result
    ) throws(ODataError) -> Result {
        depth += 1
        guard depth <= limits.depthMax else {
            throw fault("The text is nested deeper than \(limits.depthMax) levels.")
        }
        let result = try rule(&self)
        depth -= 1
        return result
    }

    /// Runs a rule whose result must be true or false.
    mutating func boolean(
        _ rule: (inout ODataParser) throws(ODataError) -> ODataExpression
    ) throws(ODataError) -> ODataExpression {
        let position = token.position
        let expression = try rule(&self)
        guard expression.canBeBoolean else {
            throw fault("Expected a condition here, which is true or false.", at: position)
        }
        return expression
    }
}
