import SettleDocuments

/// Queries whose results depend on all documents: ordered, counted, without duplicates, cut.
extension ServiceState {
    /// A row with what says its place in the order.
    private struct Row {
        var keys: [JSONValue?]
        /// The document, and the row of it.
        var place: (UInt64, Int)
        var aliases: [String: JSONValue]
    }

    /// A page of such a query.
    mutating func collected(
        _ query: ParsedQuery, _ documents: DocumentScope, _ scope: QueryScope,
        _ exchange: Exchange
    ) throws(ServiceFailure) -> DocumentPage {
        try checkIndex(of: documents.collection, for: query)
        let limit = try pageSize(exchange)
        let found = (feeds[FeedKey(parent: documents.collection, kind: .documents)]?.numbers ?? [])
            .compactMap { resources[$0] }
            .filter {
                documents.contains($0) && $0.isIndexed
                    && !isExpired($0, at: exchange.timestamp)
            }
        let position = try exchange.request[.continuation].map(Continuation.value)
        if emptyPages > 0 {
            emptyPages -= 1
            let start = position ?? .object([:])
            return DocumentPage(rows: [], continuation: Continuation.text(of: start))
        }
        if query.isAggregate || query.isDistinct {
            let rows = try Self.rows(of: query, found, in: scope)
            let all = try QueryRows.finished(rows, of: query, in: scope)
            let start = min(Int(position?["offset"]?.integerValue ?? 0), all.count)
            let end = min(all.count, start + limit)
            return DocumentPage(
                rows: Array(all[start..<end]),
                continuation: end < all.count
                    ? Continuation.text(of: ["offset": .integer(Int64(end))]) : nil)
        }
        return try ordered(query, found, scope, after: position, limit: limit)
    }

    private func ordered(
        _ query: ParsedQuery, _ documents: [StoredResource], _ scope: QueryScope,
        after position: JSONValue?, limit: Int
    ) throws(ServiceFailure) -> DocumentPage {
        var rows: [Row] = []
        for document in documents {
            let found = try QueryRows.rows(of: query, in: scope.with(["root": document.body]))
            for (index, row) in found.enumerated() {
                let keys = try scope.with(row).values(of: query.order.map(\.key))
                rows.append(Row(keys: keys, place: (document.number, index), aliases: row))
            }
        }
        func precedes(_ left: Row, _ right: Row) -> Bool {
            let order = query.comparison(left.keys, right.keys)
            return order != 0 ? order < 0 : left.place < right.place
        }
        rows.sort(by: precedes)
        var (skipped, taken) = try query.window(in: scope)
        if let position, let last = try Self.row(at: position, query) {
            rows.removeAll { !precedes(last, $0) }
            skipped = 0
            taken = Int(position["left"]?.integerValue ?? 0)
        }
        let rest = rows.dropFirst(skipped).prefix(taken)
        let page = rest.prefix(limit)
        var results: [JSONValue] = []
        for row in page {
            if let value = try QueryRows.selected(query, in: scope.with(row.aliases)) {
                results.append(value)
            }
        }
        guard rest.count > limit, let last = page.last else { return DocumentPage(rows: results) }
        let keys = last.keys.map { key in JSONValue.array(key.map { [$0] } ?? []) }
        let left = taken == .max ? Int64.max : Int64(taken - page.count)
        return DocumentPage(
            rows: results,
            continuation: Continuation.text(of: [
                "keys": .array(keys), "document": .integer(Int64(last.place.0)),
                "row": .integer(Int64(last.place.1)), "left": .integer(left),
            ]))
    }

    /// The row after which a continuation goes on; nil for the beginning.
    private static func row(
        at position: JSONValue, _ query: ParsedQuery
    ) throws(ServiceFailure) -> Row? {
        guard let document = position["document"]?.integerValue else { return nil }
        let keys = position["keys"]?.arrayValue ?? []
        guard let index = position["row"]?.integerValue, keys.count == query.order.count else {
            throw Continuation.malformed
        }
        return Row(keys: keys.map { $0[0] }, place: (UInt64(document), Int(index)), aliases: [:])
    }
}
