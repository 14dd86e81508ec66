import HTTPTypes
import Settle
public import SettleSync

extension AzureTablesBackend {
    /// Carries out one operation.
    ///
    /// Inserts are POST to the table and deletions DELETE. Updates are PATCH, with all members or
    /// those that changed (and those that were removed as null, since PATCH merges); or PUT with
    /// all members, where the server replaces. Undeletions are POST to the item without a body, or
    /// set the column `deleted`.
    ///
    /// An identifier that the server's addresses cannot carry is refused before anything is sent.
    /// An update with nothing in it is not sent, since some servers fail on it: the item is looked
    /// up instead, and is the outcome when it still is what the document builds on.
    public func send(
        _ operation: RemoteOperation
    ) async throws(ReplicationError) -> RemoteOutcome {
        let dialect = try await dialectForWriting()
        let id = operation.id
        if let fault = dialect.fault(ofId: id) { return .rejected(reason: fault) }
        let base = operation.baseVersion
        let response: FullHTTPResponse
        switch operation.kind {
        case .insert:
            response = try await exchange(
                dialect, .post, body: OperationBody(operation, dialect).item())
        case .update:
            guard let body = OperationBody(operation, dialect).change() else {
                return try await unchanged(operation, dialect)
            }
            let method: HTTPRequest.Method = dialect.change == .merge ? .patch : .put
            response = try await exchange(dialect, method, ofItem: id, body: body, matching: base)
        case .delete:
            response = try await exchange(dialect, .delete, ofItem: id, matching: base)
        case .undelete:
            switch dialect.undeletion {
            case .post:
                response = try await exchange(dialect, .post, ofItem: id, matching: base)
                // Newer servers that speak as older ones have no such route.
                if response.status == 405 { return try await restore(operation, dialect) }
            case .column: return try await restore(operation, dialect)
            }
        }
        return try await outcome(of: operation, OperationResponse(response), dialect)
    }

    /// The outcome of an update that changes nothing.
    private func unchanged(
        _ operation: RemoteOperation, _ dialect: Dialect
    ) async throws(ReplicationError) -> RemoteOutcome {
        let item = try await lookUp(operation.id, dialect).item
        guard let item, !item.isDeleted,
            operation.baseVersion == nil || item.version == operation.baseVersion
        else { return .conflict(item) }
        return .stored(item)
    }
}
