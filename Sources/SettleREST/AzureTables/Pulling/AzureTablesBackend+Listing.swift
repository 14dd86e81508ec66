import Foundation
import Settle
public import SettleSync
import SettleTableProtocol

extension AzureTablesBackend {
    /// What a token of a listing begins with.
    private static let layout = "l1|"

    /// What every identifier comes behind: rows without one are passed by so.
    static let firstId = " "

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
            let item = page.item(listed: row)
            // A server may not know how to leave deleted rows out.
            if !item.isDeleted && !item.isOutOfScope { items.append(item) }
        }
        let lastId = page.rows.last { !($0.id?.isEmpty ?? true) }?.id
        guard let last = lastId ?? (after == nil && !page.isLast ? Self.firstId : nil) else {
            return PullPage(items: items, token: token, isLast: true)
        }
        guard last != after else {
            throw ReplicationError(
                .protocolViolation,
                "The server sent a page of a listing that ends where it began; check that its "
                    + "table can be filtered by 'id'.")
        }
        let next = Self.layout + page.dialect.description + "|" + PercentEncoding.encoded(last)
        return PullPage(
            items: items, token: PullToken(next), isLast: page.isLast,
            itemCountRemaining: request.isCounted ? page.count : nil)
    }
}
