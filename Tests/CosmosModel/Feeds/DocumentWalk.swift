import SettleDocuments

/// A page of documents, or of rows made of them.
struct DocumentPage {
    var rows: [JSONValue]
    /// Where the next page begins; nil at the end.
    var continuation: String?
}

extension ServiceState {
    /// Reads a page of documents range by range, in each in the order of their creation.
    ///
    /// - Parameters:
    ///   - scope: Which documents.
    ///   - exchange: The request.
    ///   - rows: The rows of a document: none when it is left out.
    /// - Returns: The page.
    /// - Throws: ``ServiceFailure`` with 400 for a size or a continuation that makes no sense, and what `rows` throws.
    mutating func walk(
        _ scope: DocumentScope, _ exchange: Exchange,
        rows: (StoredResource) throws(ServiceFailure) -> [JSONValue]
    ) throws(ServiceFailure) -> DocumentPage {
        var position = FeedPosition(from: scope.lower, to: scope.upper)
        if let header = exchange.request[.continuation] {
            position = try FeedPosition(header, from: scope.lower, to: scope.upper)
        }
        let limit = try pageSize(exchange)
        if emptyPages > 0, !position.segments.isEmpty {
            emptyPages -= 1
            return DocumentPage(rows: [], continuation: position.continuation)
        }
        guard let state = collections[scope.collection] else { throw .notFound("collection") }
        let feed = feeds[FeedKey(parent: scope.collection, kind: .documents)] ?? ResourceFeed()
        var page: [JSONValue] = []
        while page.isEmpty, !position.segments.isEmpty {
            position.align(to: state.ranges)
            guard var segment = position.segments.first else { break }
            position.segments.removeFirst()
            for number in feed.numbers(after: segment.after) {
                guard let resource = resources[number], scope.contains(resource),
                    segment.lower <= resource.effectiveKey,
                    resource.effectiveKey < segment.upper,
                    !isExpired(resource, at: exchange.timestamp)
                else { continue }
                let found = try rows(resource).dropFirst(segment.rows)
                let room = limit - page.count
                if found.count > room {
                    page += found.prefix(room)
                    segment.rows += room
                    position.segments.insert(segment, at: 0)
                    break
                }
                page += found
                segment.after = number
                segment.rows = 0
            }
        }
        return DocumentPage(rows: page, continuation: position.continuation)
    }
}
