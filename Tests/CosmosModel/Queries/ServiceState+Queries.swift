import SettleDocuments

extension ServiceState {
    /// Carries out a query over a feed.
    mutating func query(
        _ kind: ResourceKind, in parent: UInt64?, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        let (query, parameters) = try parsed(exchange)
        let context = QueryContext(
            parameters: parameters, functions: functions(of: parent))
        if kind == .documents, let collection = parent {
            let page = try page(of: query, in: collection, context, exchange)
            return feedResponse(kind, in: parent, page, exchange)
        }
        let scope = QueryScope(context: context)
        let page = try smallPage(kind, in: parent, exchange) { resources throws(ServiceFailure) in
            let rows = try Self.rows(of: query, resources, in: scope)
            return try QueryRows.finished(rows, of: query, in: scope)
        }
        return feedResponse(kind, in: parent, page, exchange)
    }

    /// The query and the parameters in the body of a request.
    func parsed(
        _ exchange: Exchange
    ) throws(ServiceFailure) -> (ParsedQuery, [String: JSONValue]) {
        let body = try exchange.request.json()
        guard let text = body["query"]?.stringValue else {
            throw .badRequest("The member 'query' is missing.")
        }
        var parameters: [String: JSONValue] = [:]
        for parameter in body["parameters"]?.arrayValue ?? [] {
            guard let name = parameter["name"]?.stringValue else {
                throw .badRequest("A parameter of the query has no name.")
            }
            parameters[name] = parameter["value"]
        }
        return (try QueryParser.parse(text), parameters)
    }

    private func functions(
        of collection: UInt64?
    ) -> [String: @Sendable ([JSONValue?]) -> JSONValue?] {
        let feed = feeds[FeedKey(parent: collection, kind: .userDefinedFunctions)]
        return configuration.scripts.functions.filter {
            feed?.numbersByName[ResourceName(id: $0.key)] != nil
        }
    }

    static func rows(
        of query: ParsedQuery, _ resources: [StoredResource], in scope: QueryScope
    ) throws(ServiceFailure) -> [[String: JSONValue]] {
        var rows: [[String: JSONValue]] = []
        for resource in resources {
            rows += try QueryRows.rows(of: query, in: scope.with(["root": resource.body]))
        }
        return rows
    }

    private mutating func page(
        of query: ParsedQuery, in collection: UInt64, _ context: QueryContext,
        _ exchange: Exchange
    ) throws(ServiceFailure) -> DocumentPage {
        let documents = try scope(of: exchange, in: collection)
        let request = exchange.request
        let isOfOne = documents.key != nil || documents.isOfRange
        guard isOfOne || request.isTrue(.enablesCrossPartition) else {
            throw .badRequest(
                "A query over several partitions needs x-ms-documentdb-query-enablecrosspartition.")
        }
        let scope = QueryScope(context: context)
        if query.isStreamed {
            return try walk(documents, exchange) { resource throws(ServiceFailure) in
                guard resource.isIndexed else { return [] }
                let rows = try QueryRows.rows(of: query, in: scope.with(["root": resource.body]))
                return try QueryRows.finished(rows, of: query, in: scope)
            }
        }
        guard isOfOne else {
            throw .badRequest(
                "The service does not itself put the results of several ranges together.",
                subStatus: 1004)
        }
        return try collected(query, documents, scope, exchange)
    }
}

extension ParsedQuery {
    /// Whether results of one document do not depend on those of others.
    var isStreamed: Bool {
        !isAggregate && !isDistinct && order.isEmpty && top == nil && offset == nil
    }
}
