import HTTPTypes
import Hummingbird
import Settle

extension TableCall {
    /// GET of a table: a page of its items.
    ///
    /// A table that does not exist yet has no items; a client may pull before the first push.
    func list(_ name: TableName) async throws -> Response {
        var page = try PageRequest(query, limits: responder.limits)
        page.reportsDepartures = Self.prefersDepartures(request.headers[values: .prefer])
        guard let table = try await responder.tables.table(name, isCreated: false) else {
            return answer(Page(items: [], count: page.isCounted ? 0 : nil, end: nil), page)
        }
        return answer(try table.page(page, for: identity), page)
    }

    /// GET of an item, 304 when the sender has it already.
    func read(_ id: String, in name: TableName) async throws -> Response {
        let includesDeleted = try query.includesDeleted
        guard let table = try await responder.tables.table(name, isCreated: false),
            let item = try table.item(id), identity.maySee(item),
            includesDeleted || !item.isDeleted
        else { throw Refusal.missing }
        if EntityTag.matches(item.version, ifNoneMatch: request.headers[values: .ifNoneMatch]) {
            return Answer.empty(.notModified, version: item.version)
        }
        return Answer.item(item)
    }

    /// The preference of readers that want to be told of items that left their channels.
    private static let departuresPreference = "settle.removed"

    private static func prefersDepartures(_ values: [String]) -> Bool {
        values.joined(separator: ",").split(separator: ",").contains {
            String($0).trimmingSpaces.lowercased() == departuresPreference
        }
    }

    /// Shape: an array of items, or `{"results": array, "count": number}` with a count.
    private func answer(_ page: Page, _ request: PageRequest) -> Response {
        let items = JSONValue.array(page.items.map { $0.json(selecting: request.selection) })
        var headers: HTTPFields = [:]
        if request.reportsDepartures {
            headers[.preferenceApplied] = Self.departuresPreference
        }
        if let end = page.end {
            headers[.link] = PageLink.header(
                path: self.request.uri.path, query: query, end: end,
                skip: request.skip + page.items.count)
        }
        let body: JSONValue =
            page.count.map { ["results": items, "count": .integer(Int64($0))] } ?? items
        return Answer.json(body, headers: headers)
    }
}
