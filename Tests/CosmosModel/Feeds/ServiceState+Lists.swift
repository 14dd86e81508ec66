import SettleDocuments

extension ServiceState {
    /// Lists the resources of a feed.
    mutating func list(
        _ kind: ResourceKind, in parent: UInt64?, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        if kind == .documents, let parent {
            let scope = try scope(of: exchange, in: parent)
            let page = try walk(scope, exchange) { [$0.body] }
            return feedResponse(kind, in: parent, page, exchange)
        }
        if kind == .partitionKeyRanges, let parent { return try ranges(of: parent, exchange) }
        var page = try smallPage(kind, in: parent, exchange)
        if kind == .permissions {
            for (index, row) in page.rows.enumerated() {
                let identifier = ResourceIdentifier(text: row["_rid"]?.stringValue ?? "")
                guard let item = identifier.flatMap({ numbers[$0] }).flatMap({ resources[$0] })
                else { continue }
                page.rows[index]["_token"] = .string(try issueToken(for: item, exchange))
            }
        }
        return feedResponse(kind, in: parent, page, exchange)
    }

    /// A page of a feed that has no partitions, with a condition.
    func smallPage(
        _ kind: ResourceKind, in parent: UInt64?, _ exchange: Exchange,
        rows: ([StoredResource]) throws(ServiceFailure) -> [JSONValue] = { $0.map(\.body) }
    ) throws(ServiceFailure) -> DocumentPage {
        let all = try rows(
            (feeds[FeedKey(parent: parent, kind: kind)]?.numbers ?? [])
                .compactMap { resources[$0] })
        var start = 0
        if let header = exchange.request[.continuation] {
            guard let offset = try Continuation.value(of: header)["offset"]?.integerValue,
                offset >= 0
            else { throw Continuation.malformed }
            start = min(Int(offset), all.count)
        }
        let end = min(all.count, start + (try pageSize(exchange)))
        let more = Continuation.text(of: ["offset": .integer(Int64(end))])
        return DocumentPage(
            rows: Array(all[start..<end]), continuation: end < all.count ? more : nil)
    }

    /// Lists the ranges of a collection; 304 when the reader has them.
    ///
    /// It is a change feed too: a response has an etag, and a request with it gets 304.
    private func ranges(
        of collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        guard let state = collections[collection] else { throw .notFound("collection") }
        let etag = "\"\(state.rangeCount)\""
        if exchange.request[.changeFeed] != nil, exchange.request[.ifNoneMatch] == etag {
            var response = ServiceResponse(status: 304)
            response[.etag] = etag
            return response
        }
        let rows = state.ranges.map { body(of: $0, in: collection) }
        var response = feedResponse(
            .partitionKeyRanges, in: collection, DocumentPage(rows: rows), exchange)
        response[.etag] = etag
        return response
    }

    /// The response with a page.
    func feedResponse(
        _ kind: ResourceKind, in parent: UInt64?, _ page: DocumentPage, _ exchange: Exchange
    ) -> ServiceResponse {
        let container = parent.flatMap { resources[$0] }
        var response = ServiceResponse(
            status: 200,
            json: [
                "_rid": .string(container?.identifier.description ?? ""),
                kind.feedName: .array(page.rows), "_count": .integer(Int64(page.rows.count)),
            ])
        response[.itemCount] = String(page.rows.count)
        response[.continuation] = page.continuation
        response[.alternateContentPath] = container.map(path(of:)) ?? ""
        response[.contentPath] = container?.identifier.description ?? ""
        if kind == .documents {
            response[.requestCharge] = "\(2 + page.rows.count / 10).83"
            addSession(of: parent, to: &response, exchange)
            if let container { addUsage(of: container, to: &response) }
        }
        return response
    }

    /// Adds the session tokens of the ranges that were read.
    private func addSession(
        of parent: UInt64?, to response: inout ServiceResponse, _ exchange: Exchange
    ) {
        guard let state = parent.flatMap({ collections[$0] }), let parent,
            let scope = try? scope(of: exchange, in: parent)
        else { return }
        let ranges = state.ranges(from: scope.lower, to: scope.upper)
        response[.sessionToken] = ranges.map { "\($0.id):-1#\(state.sequence)" }
            .joined(separator: ",")
        if ranges.count == 1 { response[.partitionKeyRangeID] = ranges[0].id }
    }
}
