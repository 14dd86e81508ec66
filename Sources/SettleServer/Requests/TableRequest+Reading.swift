import HTTPTypes
import Hummingbird
import Settle
import SettleTableProtocol

extension TableRequest {
    /// GET of a table: a page of its items.
    ///
    /// A table that does not exist yet has no items; a client may pull before the first push.
    func list(_ name: TableName) async throws -> Response {
        var page = try PageRequest(
            query, headers: request.headers, in: dialect, limits: responder.limits)
        page.reportsChannelRemovals = ReaderPreference.preferences(
            in: request.headers[values: .prefer]
        ).contains(.removals)
        guard let table = try await table(name) else {
            return try respond(
                CollectedPage(
                    sink: itemsText(of: page), itemCount: 0, count: page.isCounted ? 0 : nil), page)
        }
        let found: CollectedPage<ItemsText>
        if let now = try findNow(page, in: table) {
            found = now
        } else {
            found = try await whileConnected { [page] in try await find(page, in: table) }
        }
        responder.metrics.itemsRead(found.itemCount)
        return try respond(found, page)
    }

    /// Reads a short page as text at once; nil when it turns out not to be short, or there is no room for it.
    private func findNow(
        _ page: PageRequest, in table: HostedTable
    ) throws -> CollectedPage<ItemsText>? {
        let found = try table.pageNow(
            page, for: identity, into: itemsText(of: page),
            answerBytesMax: responder.answers.pageBytesMax)
        return found?.sink.roomMissing == nil ? found : nil
    }

    /// Reads a page as text.
    ///
    /// When there is no room for a text that turns out to be large, the page is read once more as soon as there
    /// is; and again, when it has grown meanwhile.
    ///
    /// - Throws: As ``HostedTable/page(_:for:into:answerBytesMax:)``; ``Problem`` 503 when there is no room for a while.
    private func find(
        _ page: PageRequest, in table: HostedTable
    ) async throws -> CollectedPage<ItemsText> {
        let answers = responder.answers
        var found = try await table.page(
            page, for: identity, into: itemsText(of: page), answerBytesMax: answers.pageBytesMax)
        for _ in 0..<Self.readsMax {
            guard let room = found.sink.roomMissing else { return found }
            let lease = try await answers.memory.take(room, for: identity.sender)
            found = try await table.page(
                page, for: identity, into: itemsText(of: page, holding: lease),
                answerBytesMax: answers.pageBytesMax)
        }
        guard found.sink.roomMissing == nil else { throw SharedCapacity.full }
        return found
    }

    /// How often a page is read again that did not fit.
    private static let readsMax = 3

    private func itemsText(
        of page: PageRequest, holding lease: CapacityLease? = nil
    ) -> ItemsText {
        ItemsText(
            dialect, selecting: page.selection, memory: responder.answers.memory,
            for: identity.sender, lease: lease)
    }

    /// GET of an item, 304 when the sender has it already.
    func read(_ id: String, in name: TableName) async throws -> Response {
        let includesDeleted = try includesDeleted
        guard let table = try await table(name),
            let item = try await table.item(id, for: identity.sender),
            identity.maySee(item)
        else { throw Problem.missing }
        guard includesDeleted || !item.isDeleted else { throw Problem.deleted }
        responder.metrics.itemsRead(1)
        switch try ReadConditions(request.headers, in: dialect).outcome(for: item) {
        case .notModified: return TableResponse.empty(.notModified, about: item, in: dialect)
        case .send: return try await respond(item)
        }
    }

    /// A page as the dialect has it.
    private func respond(
        _ page: CollectedPage<ItemsText>, _ request: PageRequest
    ) throws(Problem) -> Response {
        var headers: HTTPFields = [:]
        if request.reportsChannelRemovals {
            headers[.preferenceApplied] = ReaderPreference.removals.rawValue
        }
        let path = self.request.uri.path
        let next = try nextQuery(after: page, request)
        let frame: PageFrame
        switch dialect.pages {
        case .bare:
            if let next { headers[.link] = ContinuationLink(path: path, query: next).header }
            frame = PageFrame(count: page.count)
        case .enveloped:
            let link = next.map { next in
                PageLink.url(
                    self.request.head, path: path, query: next, isNamed: isVersionNamed,
                    options: ZumoOptions(self.request.headers))
            }
            frame = PageFrame(count: page.count, nextLink: link)
        }
        let (pieces, lease) = page.sink.pieces(after: frame.head, before: frame.tail)
        var response = TableResponse.json(text: [], headers: headers)
        response.body =
            pieces.count == 1
            ? ResponseBody(byteBuffer: pieces[0])
            : responder.answers.body(pieces, lease, to: connection)
        return response
    }

    /// The query of the next page; nil when this is the last.
    private func nextQuery(
        after page: CollectedPage<ItemsText>, _ request: PageRequest
    ) throws(Problem) -> String? {
        guard let end = page.end else { return nil }
        let skip = request.skip + page.itemCount
        guard dialect.topMax != nil, let wanted = try query.value(.top).flatMap(Int.init) else {
            return PageLink.query(after: query, end: end, skip: skip)
        }
        let rest = wanted - page.itemCount
        return rest > 0 ? PageLink.query(after: query, end: end, skip: skip, top: rest) : nil
    }
}
