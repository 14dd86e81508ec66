import HTTPTypes
import Hummingbird
import Settle

extension TableCall {
    /// GET of a table: a page of its items.
    ///
    /// A table that does not exist yet has no items; a client may pull before the first push.
    func list(_ name: TableName) async throws -> Response {
        var page = try PageRequest(
            query, headers: request.headers, in: dialect, limits: responder.limits)
        page.reportsDepartures = Self.prefersDepartures(request.headers[values: .prefer])
        guard let table = try await table(name) else {
            return try answer(Page(items: [], count: page.isCounted ? 0 : nil, end: nil), page)
        }
        let found = try await table.page(page, for: identity)
        responder.metrics.itemsRead(found.items.count)
        return try answer(found, page)
    }

    /// GET of an item, 304 when the sender has it already.
    func read(_ id: String, in name: TableName) async throws -> Response {
        let includesDeleted = try includesDeleted
        guard let table = try await table(name), let item = try await table.item(id),
            identity.maySee(item)
        else { throw Refusal.missing }
        guard includesDeleted || !item.isDeleted else { throw Refusal.deleted }
        responder.metrics.itemsRead(1)
        switch try ReadConditions(request.headers, in: dialect).outcome(for: item) {
        case .notModified: return Answer.empty(.notModified, about: item, in: dialect)
        case .send: return Answer.item(item, in: dialect)
        }
    }

    /// The preference of readers that want to be told of items that left their channels.
    private static let departuresPreference = "settle.removed"

    private static func prefersDepartures(_ values: [String]) -> Bool {
        values.joined(separator: ",").split(separator: ",").contains {
            String($0).trimmingSpaces.lowercased() == departuresPreference
        }
    }

    /// A page as the dialect has it.
    private func answer(_ page: Page, _ request: PageRequest) throws(Refusal) -> Response {
        var headers: HTTPFields = [:]
        if request.reportsDepartures {
            headers[.preferenceApplied] = Self.departuresPreference
        }
        let path = self.request.uri.path
        let next = try nextQuery(after: page, request)
        var text = PageText(dialect, selecting: request.selection)
        switch dialect.pages {
        case .bare:
            if let next { headers[.link] = PageLink.header(path: path, query: next) }
            text.add(page)
        case .enveloped:
            let link = next.map { next in
                PageLink.url(
                    self.request.head, path: path, query: next, isNamed: isVersionNamed,
                    options: ZumoOptions(self.request.headers))
            }
            text.add(page, nextLink: link)
        }
        return Answer.json(text: text.bytes, headers: headers)
    }

    /// The query of the next page; nil when this is the last.
    private func nextQuery(
        after page: Page, _ request: PageRequest
    ) throws(Refusal) -> String? {
        guard let end = page.end else { return nil }
        let skip = request.skip + page.items.count
        guard dialect.topMax != nil, let wanted = try query.value("$top").flatMap(Int.init) else {
            return PageLink.query(after: query, end: end, skip: skip)
        }
        let rest = wanted - page.items.count
        return rest > 0 ? PageLink.query(after: query, end: end, skip: skip, top: rest) : nil
    }
}
