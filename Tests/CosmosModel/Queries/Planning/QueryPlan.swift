import SettleDocuments

/// What a client needs to run a query in each range and to put the results together.
///
/// > Source: the public client libraries of Cosmos DB, which read it.
struct QueryPlan {
    let query: ParsedQuery
    let scope: QueryScope

    /// The plan as JSON.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when no such plan is made.
    func json() throws(ServiceFailure) -> JSONValue {
        var hasValue = false
        if case .value = query.selection { hasValue = true }
        let aggregates = hasValue ? query.selected.flatMap(\.aggregates) : []
        let order = query.order.map {
            JSONValue.string($0.isDescending ? "Descending" : "Ascending")
        }
        var info: [String: JSONValue] = [
            "hasNonStreamingOrderBy": false
        ]
        info["groupByExpressions"] = .array(query.texts.grouping.map { .string($0) })
        var aliases: [JSONValue] = []
        var aggregatesByAlias: [String: JSONValue] = [:]
        if query.isAggregate, case .list(let entries) = query.selection {
            for entry in entries {
                aliases.append(.string(entry.name))
                aggregatesByAlias[entry.name] =
                    entry.value.aggregates.first.flatMap { Self.aggregateNames[$0] } ?? .null
            }
        }
        info["groupByAliases"] = .array(aliases)
        info["groupByAliasToAggregateType"] = .object(aggregatesByAlias)
        info["distinctType"] = .string(distinctType)
        info["top"] = try number(query.top)
        info["offset"] = try number(query.offset)
        info["limit"] = try number(query.limit)
        info["orderBy"] = .array(order)
        info["orderByExpressions"] = .array(query.texts.order.map { .string($0) })
        info["aggregates"] = .array(aggregates.compactMap { Self.aggregateNames[$0] })
        info["rewrittenQuery"] = .string(try rewritten(hasValue: hasValue))
        info["hasSelectValue"] = .bool(hasValue)
        let all: JSONValue = [
            "min": "", "max": "FF", "isMinInclusive": true, "isMaxInclusive": false,
        ]
        return [
            "partitionedQueryExecutionInfoVersion": 2, "queryInfo": .object(info),
            "queryRanges": [all],
        ]
    }

    private static let aggregateNames: [String: JSONValue] = [
        "COUNT": "Count", "SUM": "Sum", "MIN": "Min", "MAX": "Max", "AVG": "Average",
    ]

    private var distinctType: String {
        guard query.isDistinct else { return "None" }
        return query.order.isEmpty ? "Unordered" : "Ordered"
    }

    private func number(_ expression: QueryExpression?) throws(ServiceFailure) -> JSONValue {
        guard let expression else { return .null }
        return try scope.value(of: expression) ?? .null
    }

    /// The query for one range; "" where it is the same.
    private func rewritten(hasValue: Bool) throws(ServiceFailure) -> String {
        if !query.grouping.isEmpty {
            let items = query.texts.grouping.map { "{\"item\": \($0)}" }.joined(separator: ", ")
            return "SELECT [\(items)] AS groupByItems, \(try aggregatePayload()) AS payload" + rest
                + " GROUP BY \(query.texts.grouping.joined(separator: ", "))"
        }
        if query.isAggregate {
            return hasValue
                ? "SELECT VALUE [\(try aggregatePayload())]" + rest
                : "SELECT \(try aggregatePayload()) AS payload" + rest
        }
        let (skipped, taken) = try query.window(in: scope)
        let cut =
            query.offset != nil
            ? " OFFSET 0 LIMIT \(skipped + taken)" : ""
        guard !query.order.isEmpty else {
            guard query.offset != nil else { return "" }
            return "SELECT \(distinct)\(selection)" + rest + cut
        }
        let top = query.top == nil ? "" : "TOP \(taken) "
        let items = query.texts.order.map { "{\"item\": \($0)}" }.joined(separator: ", ")
        let order = zip(query.texts.order, query.order)
            .map { $0 + ($1.isDescending ? " DESC" : " ASC") }.joined(separator: ", ")
        let filter = query.texts.filter.map { "(\($0)) AND " } ?? ""
        return "SELECT \(distinct)\(top)\(root)._rid, [\(items)] AS orderByItems, "
            + "\(payload) AS payload FROM \(query.texts.from) "
            + "WHERE \(filter)({documentdb-formattableorderbyquery-filter}) ORDER BY \(order)\(cut)"
    }

    private var distinct: String { query.isDistinct ? "DISTINCT " : "" }

    private var root: String { query.sources.first?.alias ?? "root" }

    private var rest: String {
        (query.texts.from.isEmpty ? "" : " FROM \(query.texts.from)")
            + (query.texts.filter.map { " WHERE \($0)" } ?? "")
    }

    private var selection: String {
        switch query.selection {
        case .all: "*"
        case .value: "VALUE \(query.texts.selected[0])"
        case .list(let entries):
            zip(query.texts.selected, entries).map { "\($0) AS \($1.name)" }
                .joined(separator: ", ")
        }
    }

    /// What is selected, as one value.
    private var payload: String {
        switch query.selection {
        case .all: return root
        case .value: return query.texts.selected[0]
        case .list(let entries):
            let members = zip(query.texts.selected, entries).map { text, entry in
                "\(JSONValue.string(entry.name).jsonText): \(text)"
            }
            return "{\(members.joined(separator: ", "))}"
        }
    }

    /// What is selected of a group, in a form that can be put together.
    private func aggregatePayload() throws(ServiceFailure) -> String {
        switch query.selection {
        case .all: throw .badRequest("SELECT * is not possible of a group.")
        case .value(let value): return try item(value, query.texts.selected[0])
        case .list(let entries):
            var members: [String] = []
            for (text, entry) in zip(query.texts.selected, entries) {
                let name = JSONValue.string(entry.name).jsonText
                members.append("\(name): \(try item(entry.value, text))")
            }
            return "{\(members.joined(separator: ", "))}"
        }
    }

    /// An aggregate wrapped, an average as sum and count; anything else as it is.
    private func item(
        _ value: QueryExpression, _ text: String
    ) throws(ServiceFailure) -> String {
        if value.aggregates.isEmpty { return text }
        guard case .call(let name, _) = value, QueryExpression.aggregateNames.contains(name),
            let start = text.firstIndex(of: "(")
        else {
            throw .badRequest("Over several ranges, an aggregate is selected by itself.")
        }
        guard name == "AVG" else { return "{\"item\": \(text)}" }
        let argument = text[start...]
        return "{\"item\": {\"sum\": SUM\(argument), \"count\": COUNT\(argument)}}"
    }
}

extension ServiceState {
    /// The plan of a query.
    func queryPlan(_ exchange: Exchange) throws(ServiceFailure) -> ServiceResponse {
        let (query, parameters) = try parsed(exchange)
        let scope = QueryScope(context: QueryContext(parameters: parameters))
        return ServiceResponse(status: 200, json: try QueryPlan(query: query, scope: scope).json())
    }
}
