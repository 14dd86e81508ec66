import SettleDocuments

/// Reads the text of a query.
///
/// > Source: Azure Cosmos DB for NoSQL, query language reference.
struct QueryParser {
    let text: [Character]
    let tokens: [QueryToken]
    var index = 0

    /// The query of a text.
    ///
    /// - Throws: ``ServiceFailure`` with 400 at the first thing that is not as it should be.
    static func parse(_ text: String) throws(ServiceFailure) -> ParsedQuery {
        let characters = Array(text)
        var parser = QueryParser(
            text: characters, tokens: try QueryLexer.tokens(of: characters))
        let query = try parser.query()
        guard parser.token.kind == .end else { throw parser.failure() }
        return query
    }

    /// The condition of a patch: a query from FROM on.
    static func parseCondition(_ text: String) throws(ServiceFailure) -> ParsedQuery {
        try parse("SELECT * " + text)
    }

    var token: QueryToken { tokens[index] }

    func failure() -> ServiceFailure {
        let found = token.range.isEmpty ? "its end" : "'\(String(text[token.range]))'"
        return .badRequest("The query has a syntax error at \(found).")
    }

    /// Whether the next token is a keyword; if so, it is passed over.
    mutating func take(keyword: String) -> Bool {
        guard isAt(keyword: keyword) else { return false }
        index += 1
        return true
    }

    func isAt(keyword: String) -> Bool {
        if case .word(let word) = token.kind { word.uppercased() == keyword } else { false }
    }

    /// Whether the next token is a symbol; if so, it is passed over.
    mutating func take(_ symbol: String) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        index += 1
        return true
    }

    mutating func expect(_ symbol: String) throws(ServiceFailure) {
        guard take(symbol) else { throw failure() }
    }

    mutating func expect(keyword: String) throws(ServiceFailure) {
        guard take(keyword: keyword) else { throw failure() }
    }

    mutating func name() throws(ServiceFailure) -> String {
        guard case .word(let word) = token.kind else { throw failure() }
        index += 1
        return word
    }

    /// The text from a token to the one before the next.
    func text(from start: Int) -> String {
        guard start < index else { return "" }
        return String(text[tokens[start].range.lowerBound..<tokens[index - 1].range.upperBound])
    }
}
