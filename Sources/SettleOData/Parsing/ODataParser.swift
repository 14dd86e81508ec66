/// Reads `$filter`, `$orderby` and `$select` texts of OData, by recursive descent.
///
/// From loose to tight: `or`, `and`, comparisons and `in`, `add sub`, `mul div mod`, then
/// `not` and minus, then literals, paths, calls, lambdas and parentheses. Operators are written
/// in lower case; words become operators only where an operator can stand, so that a member may
/// be called `eq`.
///
/// > Source: OData version 3.0, "URI Conventions", 10.2.3.6; precedence as in its table. OData version
/// > 4.01, Part 2, 5.1.1, and the ABNF of its literals.
package struct ODataParser {
    var tokens: [ODataToken]
    var index = 0
    var depth = 0
    /// The most links of arithmetic chains on any way down the operands read so far.
    var linksMax = 0
    var variables: [String] = []
    let dialect: ODataDialect
    let limits: ODataLimits

    private init(
        text: String, dialect: ODataDialect, limits: ODataLimits
    ) throws(ODataError) {
        try Self.checkLength(of: text, limits: limits)
        var tokenizer = ODataTokenizer(text: text)
        tokens = try tokenizer.tokens()
        self.dialect = dialect
        self.limits = limits
    }

    static func checkLength(of text: String, limits: ODataLimits) throws(ODataError) {
        guard text.utf8.count <= limits.textBytesMax else {
            throw ODataError(
                message: "The text is longer than \(limits.textBytesMax) bytes; "
                    + "ask with several shorter requests.", position: nil)
        }
    }

    /// Parses a filter.
    ///
    /// - Parameters:
    ///   - text: The decoded value of `$filter`.
    ///   - dialect: The version of OData where a text means two things.
    ///   - limits: The longest and deepest text to take.
    /// - Returns: The tree, whose value is true for the items that are wanted.
    /// - Throws: ``ODataError`` with the place of the first fault, or naming the limit.
    package static func filter(
        _ text: String, dialect: ODataDialect = .version3, limits: ODataLimits = .standard
    ) throws(ODataError) -> ODataNode {
        var parser = try ODataParser(text: text, dialect: dialect, limits: limits)
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
    ///   - dialect: The version of OData where a text means two things.
    ///   - limits: The longest and deepest text to take.
    /// - Returns: The sort keys, the first the most important.
    /// - Throws: ``ODataError`` as for a filter, and at the first sort key beyond the limit.
    package static func order(
        _ text: String, dialect: ODataDialect = .version3, limits: ODataLimits = .standard
    ) throws(ODataError) -> [ODataSortKey] {
        var parser = try ODataParser(text: text, dialect: dialect, limits: limits)
        var keys: [ODataSortKey] = []
        repeat {
            guard keys.count < limits.sortKeyCountMax else {
                throw parser.fault("The order has more than \(limits.sortKeyCountMax) keys.")
            }
            let expression = try parser.orExpression()
            let isDescending = parser.take(name: ODataWord.descending)
            if !isDescending { _ = parser.take(name: ODataWord.ascending) }
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
        _ rule: (inout ODataParser) throws(ODataError) -> ODataNode
    ) throws(ODataError) -> ODataNode {
        let position = token.position
        let expression = try rule(&self)
        guard expression.canBeBoolean else {
            throw fault("Expected a condition here, which is true or false.", at: position)
        }
        return expression
    }
}
