import HTTPTypes
import Settle
import SettleOData
public import SettleSync
import SettleTableProtocol

/// What a table has under an identifier.
struct LookedUpRow: Sendable {
    /// The row, deleted or not; nil when none is shown.
    var row: TableRow?
    /// The row as an item.
    var item: RemoteItem?
    /// When there is no such row: the identifier of one that the server takes for the same.
    var idLike: String?
}

extension AzureTablesBackend {
    /// Looks up an item, deleted or not, by a list with a filter.
    public func lookUp(_ id: String) async throws(ReplicationError) -> LookUpOutcome {
        let dialect = try await dialectForWriting()
        return try await lookUp(id, dialect).item.map { .found($0) } ?? .absent
    }

    /// Looks up a row, deleted or not.
    ///
    /// A list with a filter, because the servers do not all show deleted items by identifier.
    func lookUp(
        _ id: String, _ dialect: Dialect
    ) async throws(ReplicationError) -> LookedUpRow {
        let filter = ODataFilter.text(column: TableColumns.id, .equal, id)
        let response = try await exchange(
            dialect, .get,
            query: [
                QueryParameter(.filter, try filter.text(for: dialect.odata)),
                dialect.askingForDeleted,
            ])
        guard response.status == 200 else { throw response.failure("look up an item") }
        let page = try TablePage(response, dialect: dialect)
        let ids = page.rows.map(\.id)
        if let index = ids.firstIndex(where: { $0.map(ItemIdentifier(id).isSame) ?? false }) {
            let row = page.rows[index]
            return LookedUpRow(row: row, item: page.item(of: row))
        }
        let idLike = ids.lazy.compactMap(\.self).first { ItemIdentifier(id).isAlike($0) }
        return LookedUpRow(idLike: idLike)
    }
}
