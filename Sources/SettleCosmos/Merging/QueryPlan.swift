import SettleDocuments

extension Cosmos {
    /// How a query is asked range by range, and its results put together.
    ///
    /// The service makes it of the query's text, so that nothing here has to read SQL.
    ///
    /// > Source: the query plans that the public Azure Cosmos DB SDKs read.
    struct QueryPlan: Sendable, Hashable {
        /// What many values become.
        enum Aggregate: String, Sendable {
            case count = "Count"
            case sum = "Sum"
            case min = "Min"
            case max = "Max"
            case average = "Average"
        }

        /// The query for each range; nil for the query as it is.
        var rewrittenQuery: String?
        /// The direction of each key of the order; empty without an order.
        var isDescending: [Bool] = []
        /// Whether each result comes once.
        var isDistinct = false
        /// How many results are passed over.
        var skippedCount = 0
        /// The most results; nil for all.
        var resultCountMax: Int?
        /// The aggregates of a query that selects one value.
        var aggregates: [Aggregate] = []
        /// The aggregate of each member that is one, of a query that selects several.
        var memberAggregates: [String: Aggregate] = [:]
        /// Whether results are made for groups.
        var isGrouped = false
        /// Whether a result is a value, and not an object of members.
        var hasSelectValue = false

        /// Whether results depend on all ranges, so that there are none before the last was read.
        var isCollected: Bool { isGrouped || !aggregates.isEmpty || !memberAggregates.isEmpty }

        /// The place in a rewritten query for a condition of where to go on.
        private static let filterPlace = "{documentdb-formattableorderbyquery-filter}"

        /// Reads a plan.
        ///
        /// - Throws: ``ClientError`` with `unreadableResponse` when it is none, `badRequest` when it wants what this
        ///   client cannot do.
        init(_ json: JSONValue) throws(ClientError) {
            guard let info = json["queryInfo"], case .object = info else {
                throw ClientError(
                    .unreadableResponse, "The service's plan of a query has no 'queryInfo'.")
            }
            func isThere(_ name: String, in json: JSONValue) -> Bool {
                json[name].map { !$0.isNull && $0 != false } ?? false
            }
            if isThere("hasNonStreamingOrderBy", in: info) || isThere("dCountInfo", in: info)
                || isThere("hybridSearchQueryInfo", in: json)
            {
                throw Self.unsupported
            }
            if let text = info["rewrittenQuery"]?.stringValue, !text.isEmpty {
                rewrittenQuery = text.replacing(Self.filterPlace, with: "true")
            }
            isDescending = (info["orderBy"]?.arrayValue ?? []).map {
                $0.stringValue == "Descending"
            }
            isDistinct = (info["distinctType"]?.stringValue ?? "None") != "None"
            hasSelectValue = info["hasSelectValue"]?.boolValue ?? false
            skippedCount = Self.count(info["offset"]) ?? 0
            let limits = [Self.count(info["top"]), Self.count(info["limit"])].compactMap(\.self)
            resultCountMax = limits.min()
            for name in info["aggregates"]?.arrayValue ?? [] {
                aggregates.append(try Self.aggregate(name))
            }
            for (member, name) in info["groupByAliasToAggregateType"]?.objectValue ?? [:]
            where !name.isNull {
                memberAggregates[member] = try Self.aggregate(name)
            }
            isGrouped = !(info["groupByExpressions"]?.arrayValue ?? []).isEmpty
            if isCollected, !isDescending.isEmpty || aggregates.count > 1 {
                throw Self.unsupported
            }
        }

        private static func count(_ json: JSONValue?) -> Int? {
            json?.integerValue.map { Int(clamping: max(0, $0)) }
        }

        private static func aggregate(_ name: JSONValue) throws(ClientError) -> Aggregate {
            guard let aggregate = name.stringValue.flatMap({ Aggregate(rawValue: $0) }) else {
                throw unsupported
            }
            return aggregate
        }

        private static let unsupported = ClientError(
            .badRequest,
            "The results of this query cannot be put together over several partitions here: an order of what is "
                + "grouped, COUNT(DISTINCT …) and a search by vectors or text. Ask for one partition."
        )
    }
}
