import SettleDocuments

extension ServiceState {
    /// Reads a page of the change feed: the latest version of each document written after a point.
    ///
    /// The point is in `If-None-Match`: an etag, `*` for now, nothing for the beginning; or in
    /// `If-Modified-Since`. Deletions are not in it.
    func changeFeed(
        of collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        guard let state = collections[collection] else { throw .notFound("collection") }
        let request = exchange.request
        let mode = request[.changeFeed]?.lowercased()
        guard mode == "incremental feed" else {
            throw .badRequest("The header A-IM has a feed that the service does not know.")
        }
        let scope = try scope(of: exchange, in: collection)
        guard scope.key != nil || scope.isOfRange || state.ranges.count == 1 else {
            throw .badRequest("A change feed is read by range or by partition key.")
        }
        var after: Int64 = 0
        switch request[.ifNoneMatch] {
        case "*": after = state.sequence
        case let text?:
            guard let number = Int64(text.filter { $0 != "\"" }) else {
                throw .badRequest("The header If-None-Match is none that the service has given.")
            }
            after = number
        case nil: break
        }
        var since: Int64 = .min
        if request[.ifNoneMatch] == nil, let header = request[.ifModifiedSince] {
            guard let time = ModelTime(httpDate: header) else {
                throw .badRequest("The header If-Modified-Since is no HTTP date.")
            }
            since = Int64(time.seconds)
        }
        let limit = try pageSize(exchange)
        let found = (feeds[FeedKey(parent: collection, kind: .documents)]?.numbers ?? [])
            .compactMap { resources[$0] }
            .filter {
                $0.sequence > after && $0.timestamp >= since && scope.contains($0)
                    && !isExpired($0, at: exchange.timestamp)
            }
            .sorted { $0.sequence < $1.sequence }
        let page = found.prefix(limit)
        let end = found.count > limit ? page.last?.sequence ?? after : state.sequence
        guard !page.isEmpty else {
            var response = ServiceResponse(status: 304)
            response[.etag] = "\"\(max(after, end))\""
            return response
        }
        let rows = page.map { resource in
            var body = resource.body
            body["_lsn"] = .integer(resource.sequence)
            return body
        }
        var response = feedResponse(
            .documents, in: collection, DocumentPage(rows: rows), exchange)
        response[.etag] = "\"\(end)\""
        return response
    }
}
