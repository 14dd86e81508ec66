import SettleDocuments

extension QueryParser {
    /// A query, up to what is no part of it.
    mutating func query() throws(ServiceFailure) -> ParsedQuery {
        var query = ParsedQuery()
        try expect(keyword: "SELECT")
        query.isDistinct = take(keyword: "DISTINCT")
        if take(keyword: "TOP") { query.top = try primary() }
        try selection(of: &query)
        if take(keyword: "FROM") {
            let start = index
            try sources(of: &query)
            query.texts.from = text(from: start)
        } else {
            query.texts.from = ""
        }
        if take(keyword: "WHERE") {
            let start = index
            query.filter = try expression()
            query.texts.filter = text(from: start)
        }
        if take(keyword: "GROUP") {
            try expect(keyword: "BY")
            repeat {
                let start = index
                query.grouping.append(try expression())
                query.texts.grouping.append(text(from: start))
            } while take(",")
        }
        if take(keyword: "ORDER") {
            try expect(keyword: "BY")
            repeat {
                let start = index
                let key = try expression()
                query.texts.order.append(text(from: start))
                let isDescending = take(keyword: "DESC")
                if !isDescending { _ = take(keyword: "ASC") }
                query.order.append(ParsedQuery.Order(key: key, isDescending: isDescending))
            } while take(",")
        }
        if take(keyword: "OFFSET") {
            query.offset = try primary()
            try expect(keyword: "LIMIT")
            query.limit = try primary()
        }
        if case .all = query.selection, query.sources.count > 1 {
            throw .badRequest("SELECT * is possible only with one name in FROM.")
        }
        return query
    }

    private mutating func selection(of query: inout ParsedQuery) throws(ServiceFailure) {
        if take("*") { return }
        let start = index
        if take(keyword: "VALUE") {
            let start = index
            query.selection = .value(try expression())
            query.texts.selected = [text(from: start)]
            return
        }
        var entries: [(value: QueryExpression, name: String)] = []
        var unnamed = 0
        index = start
        repeat {
            let start = index
            let value = try expression()
            query.texts.selected.append(text(from: start))
            if take(keyword: "AS") {
                entries.append((value, try name()))
            } else if case .word(let word) = token.kind, !Self.reserved.contains(word.uppercased())
            {
                index += 1
                entries.append((value, word))
            } else if let name = Self.impliedName(of: value) {
                entries.append((value, name))
            } else {
                unnamed += 1
                entries.append((value, "$\(unnamed)"))
            }
        } while take(",")
        query.selection = .list(entries)
    }

    private static func impliedName(of value: QueryExpression) -> String? {
        switch value {
        case .alias(let name): name
        case .member(_, .constant(.string(let name))): name
        default: nil
        }
    }

    private mutating func sources(of query: inout ParsedQuery) throws(ServiceFailure) {
        query.sources = [try source(isFirst: true)]
        while take(keyword: "JOIN") { query.sources.append(try source(isFirst: false)) }
    }

    private mutating func source(isFirst: Bool) throws(ServiceFailure) -> ParsedQuery.Source {
        if case .word(let alias) = token.kind,
            tokens[index + 1].kind == .word("IN")
                || tokens[index + 1].kind == .word("in") || tokens[index + 1].kind == .word("In")
        {
            index += 2
            let origin = try origin(isFirst: isFirst)
            return ParsedQuery.Source(
                alias: alias, origin: origin ?? .alias("root"), isIteration: true)
        }
        let origin = try origin(isFirst: isFirst)
        var alias: String?
        if take(keyword: "AS") {
            alias = try name()
        } else if case .word(let word) = token.kind, !Self.reserved.contains(word.uppercased()) {
            index += 1
            alias = word
        }
        let implied = origin.flatMap(Self.impliedName)
        guard let found = alias ?? implied ?? (isFirst ? rootName : nil) else { throw failure() }
        return ParsedQuery.Source(alias: found, origin: origin, isIteration: false)
    }

    /// The name that was read as that of the collection.
    private var rootName: String? {
        if case .word(let word) = tokens[index - 1].kind { word } else { nil }
    }

    /// Where values come from: nil for the document, which the first name of FROM is whatever it is called.
    private mutating func origin(isFirst: Bool) throws(ServiceFailure) -> QueryExpression? {
        if take("(") {
            let inner = try query()
            try expect(")")
            return .arrayOf(inner)
        }
        let first = try name()
        var origin: QueryExpression = isFirst ? .alias("root") : .alias(first)
        var isPath = !isFirst
        while token.kind == .symbol(".") || token.kind == .symbol("[") {
            isPath = true
            if take(".") {
                origin = .member(origin, .constant(.string(try name())))
            } else {
                index += 1
                origin = .member(origin, try expression())
                try expect("]")
            }
        }
        return isPath ? origin : nil
    }

    /// Words that are no aliases where one may be.
    static let reserved: Set<String> = [
        "AND", "AS", "ASC", "BETWEEN", "BY", "DESC", "DISTINCT", "ESCAPE", "EXISTS", "FROM",
        "GROUP", "IN", "JOIN", "LIKE", "LIMIT", "NOT", "OFFSET", "OR", "ORDER", "SELECT", "TOP",
        "VALUE", "WHERE",
    ]
}
