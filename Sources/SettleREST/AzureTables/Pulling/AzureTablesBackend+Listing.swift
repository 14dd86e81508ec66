import Foundation
import Settle
public import SettleSync

extension AzureTablesBackend {
    /// What a token of a listing begins with.
    private static let layout = "l1|"

    /// Lists the live items, by identifier.
    ///
    /// Each page asks for the identifiers behind the last one, in the server's own order of
    /// identifiers, so that nothing moves while it is read.
    public func list(
        _ query: PullQuery, after token: PullToken?, itemCountMax: Int
    ) async throws(ReplicationError) -> PullPage? {
        var after: String?
        var hint: Dialect?
        if let text = token?.text {
            let fields = text.split(separator: "|", omittingEmptySubsequences: false)
            guard fields.count == 3, text.hasPrefix(Self.layout),
                let id = fields[2].removingPercentEncoding, !id.isEmpty
            else {
                throw ReplicationError(
                    .protocolViolation,
                    "A listing was asked to go on at a place that no listing ended at.")
            }
            after = id
            hint = Dialect.all.first { $0.description == fields[1] }
        }
        let request = TablePageRequest(
            query: query, cursor: .beginning, rowCountMax: itemCountMax,
            isCounted: token == nil, includesDeleted: false, listedAfter: after, isList: true)
        let page = try await page(request, hint: hint)
        var items: [RemoteItem] = []
        for row in page.rows {
            guard let item = page.item(of: row), !item.id.isEmpty else {
                throw ReplicationError(
                    .protocolViolation,
                    "The server sent an item without a text for its 'id'; nothing of the page was "
                        + "taken.")
            }
            // A server may not know how to leave deleted rows out.
            if !item.isDeleted && !item.isOutOfSight { items.append(item) }
        }
        guard let last = page.rows.last?[TableColumns.id]?.stringValue else {
            return PullPage(items: [], token: token, isLast: true)
        }
        guard last != after else {
            throw ReplicationError(
                .protocolViolation,
                "The server sent a page of a listing that ends where it began; check that its "
                    + "table can be filtered by 'id'.")
        }
        let next = Self.layout + page.dialect.description + "|" + PercentEncoding.pathSegment(last)
        return PullPage(
            items: items, token: PullToken(next), isLast: page.isLast,
            itemCountRemaining: request.isCounted ? page.count : nil)
    }
}
