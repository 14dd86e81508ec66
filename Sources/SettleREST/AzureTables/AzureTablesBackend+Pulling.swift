import HTTPTypes
import Settle
public import SettleSync

extension AzureTablesBackend {
    /// Fetches the items changed after a token, by time and identifier.
    ///
    /// > Source: Azure Mobile Apps clients page by `updatedAt ge` and `$skip`, which passes by rows
    /// > when one that was read changes meanwhile; `(updatedAt, id)` as a key does not.
    public func pull(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> PullPage {
        var position = token.flatMap { TablePosition($0) }
        if isFirstPage { position?.skipCount = 0 }
        var (rows, count) = try await rows(
            of: query, after: position, itemCountMax: itemCountMax, isFirstPage: isFirstPage)
        if isFirstPage, position != nil, rows.isEmpty {
            // The filter takes in the item that the token ends at. If that is gone, so may be the
            // table it was in (made anew, or restored from a backup), with times before it.
            position = nil
            (rows, count) = try await self.rows(
                of: query, after: nil, itemCountMax: itemCountMax, isFirstPage: true)
        }
        var items: [RemoteItem] = []
        items.reserveCapacity(rows.count)
        for row in rows {
            guard let item = RemoteItem(row) else {
                throw ReplicationError(
                    .protocolViolation,
                    "The server sent an item without a text for its 'id'; nothing of the page was "
                        + "taken.")
            }
            let time = row[SystemColumns.updatedAt]?.stringValue
            if isFirstPage, position?.isUnchanged(item, time: time) == true { continue }
            items.append(item)
        }
        let next = try Self.position(after: rows, position, isFirstPage: isFirstPage)
        // A short page does not mean the end, since a server may give less than it was asked for;
        // a count does.
        let isLast = rows.isEmpty || count.map { $0 <= rows.count } ?? false
        if items.isEmpty {
            return PullPage(items: [], token: next?.token, isLast: isLast)
        }
        let knownCount = rows.count - items.count
        return PullPage(
            items: items, token: next?.token, isLast: isLast,
            itemCountRemaining: count.map { $0 - knownCount })
    }

    /// The rows of a page, and how many there are from its start on.
    private func rows(
        of query: PullQuery, after position: TablePosition?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> (rows: [JSONValue], count: Int?) {
        let answer = try await page(
            query, after: position, itemCountMax: itemCountMax, isFirstPage: isFirstPage)
        guard answer.status == 200 else { throw answer.failure("list the table") }
        let (rows, count) = try Self.rows(in: answer)
        // A count that cannot be one is as good as none.
        let isPlausible = count.map { (rows.count...RESTTuning.itemCountMax).contains($0) } ?? false
        return (rows, isFirstPage && isPlausible ? count : nil)
    }

    /// Asks for a page; for a smaller one when the answer is too large.
    private func page(
        _ query: PullQuery, after position: TablePosition?, itemCountMax: Int, isFirstPage: Bool
    ) async throws(ReplicationError) -> HTTPAnswer {
        var countMax = min(max(1, itemCountMax), RESTTuning.pageSizeMax)
        while true {
            do {
                return try await exchange(
                    .get,
                    address.path(
                        query: Self.parameters(
                            query, after: position, itemCountMax: countMax,
                            isFirstPage: isFirstPage)),
                    answerSizeMax: RESTTuning.answerSizeMax)
            } catch {
                guard error.code == .answerTooLarge, countMax > 1 else { throw error }
                countMax = max(1, countMax / 4)
            }
        }
    }

    private static func parameters(
        _ query: PullQuery, after position: TablePosition?, itemCountMax: Int, isFirstPage: Bool
    ) -> [(name: String, value: String)] {
        var filter = isFirstPage ? position?.filterOfNextPull : position?.filterWithinPull
        if !query.channels.isEmpty {
            let channels = ODataFilter.containsAny(
                column: "channels", query.channels.sorted())
            filter = filter.map { .and(channels, $0) } ?? channels
        }
        var parameters: [(name: String, value: String)] = []
        if let filter { parameters.append(("$filter", filter.text)) }
        parameters.append(("$orderby", "\(SystemColumns.updatedAt),\(SystemColumns.id)"))
        if let skip = position?.skipCount, skip > 0 { parameters.append(("$skip", "\(skip)")) }
        parameters.append(("$top", "\(itemCountMax)"))
        if isFirstPage { parameters.append(("$inlinecount", "allpages")) }
        parameters.append(("__includeDeleted", "true"))
        return parameters
    }

    /// The rows of a page: bare, or with a count beside them.
    static func rows(
        in answer: HTTPAnswer
    ) throws(ReplicationError) -> (rows: [JSONValue], count: Int?) {
        let json = try answer.json()
        if case .array(let rows) = json { return (rows, nil) }
        guard let rows = json["results"]?.arrayValue else {
            throw ReplicationError(
                .protocolViolation,
                "The server answered with JSON that is no list of items; check that the address "
                    + "is a table of the 2.0.0 protocol.")
        }
        return (rows, json["count"]?.integerValue.flatMap { Int(exactly: $0) })
    }

    /// Where the page ends.
    private static func position(
        after rows: [JSONValue], _ position: TablePosition?, isFirstPage: Bool
    ) throws(ReplicationError) -> TablePosition? {
        guard let last = rows.last else {
            var position = position
            position?.skipCount = 0
            return position
        }
        guard let time = last[SystemColumns.updatedAt]?.stringValue,
            TablePosition.isTime(time), let id = last[SystemColumns.id]?.stringValue
        else {
            throw ReplicationError(
                .protocolViolation,
                "The server sent an item without a time for its 'updatedAt', which tells where to "
                    + "go on; the table needs this column.")
        }
        var next = TablePosition(
            time: time, id: id, version: last[SystemColumns.version]?.stringValue ?? "")
        if !isFirstPage, let position, position.time == time, position.id == id {
            // The times are finer than they are shown, so the filter gives these items again.
            next.skipCount = position.skipCount + rows.count
        }
        return next
    }
}
