import HTTPTypes
import Settle
import SettleSync

extension AzureTablesBackend {
    /// Brings a deleted item back where that is a change of the column `deleted`.
    ///
    /// Of the servers that want it like this, one generation takes a PATCH of that column alone,
    /// and the other knows only PUT, which replaces the whole item. So PATCH goes first; a server
    /// that does not know it gets the item back as it was, with the column changed. Both are tied
    /// to the version, so that neither undoes what somebody else did.
    func restore(
        _ operation: RemoteOperation, _ dialect: Dialect
    ) async throws(ReplicationError) -> RemoteOutcome {
        let deleted = dialect.columns.deleted
        if !memory.undeletesByReplacing {
            let response = try await exchange(
                dialect, .patch, ofItem: operation.id, body: JSONText.text(of: [deleted: false]),
                matching: operation.baseVersion)
            switch response.status {
            case 405, 501: memory.keepUndeletingByReplacing()
            // A server may say this of a request that it does not know, too; the row tells.
            case 404: break
            default: return try await outcome(of: operation, OperationResponse(response), dialect)
            }
        }
        guard var item = try await lookUp(operation.id, dialect).item else {
            return .conflict(nil)
        }
        let isBase = operation.baseVersion == nil || item.version == operation.baseVersion
        guard item.isDeleted, isBase else { return .conflict(item) }
        if let fault = item.fault {
            return .rejected(
                reason: "The item would have to be replaced to bring it back, and would lose what "
                    + "cannot be read of it here: \(fault)")
        }
        // What one response leaves out would be removed by what is sent.
        if let again = try await lookUp(operation.id, dialect).item,
            again.version != nil, again.version == item.version
        {
            item.complete(by: again)
        }
        var members = dialect.columns.escaped(item.members)
        members[TableColumns.id] = .string(operation.id)
        members[deleted] = false
        let response = try await exchange(
            dialect, .put, ofItem: operation.id, query: [dialect.askingForDeleted],
            body: JSONText.text(of: .object(members)), matching: item.version)
        return try await outcome(of: operation, OperationResponse(response), dialect)
    }
}
