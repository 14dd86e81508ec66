import HTTPTypes
import Settle
import SettleSync

extension AzureTablesBackend {
    /// What a server made of an operation.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - response: What the server said.
    ///   - dialect: What it speaks.
    ///   - obstacle: Why nothing more may be asked; thrown in the place of a look-up.
    /// - Returns: The outcome.
    /// - Throws: ``SettleSync/ReplicationError`` when the response does not tell whether it was
    ///   carried out, or it was not for a reason that has nothing to do with the item.
    func outcome(
        of operation: RemoteOperation, _ response: OperationResponse, _ dialect: Dialect,
        unlessAskingMeets obstacle: ReplicationError? = nil
    ) async throws(ReplicationError) -> RemoteOutcome {
        switch (response.status, operation.kind) {
        case (200..<300, .delete):
            // A login page also says 200.
            _ = try response.content?.get()
            return .deleted(deletedItem(operation.id, response, dialect))
        case (200..<300, _):
            return try await stored(operation.id, response, dialect, obstacle)
        case (404, .delete) where response.isWebPage, (410, .delete) where response.isWebPage:
            // It may be somebody else who does not know the address.
            let item = try await lookUp(operation.id, dialect, obstacle).item
            if let item, !item.isDeleted { throw response.failure("delete an item") }
            return .deleted(item)
        case (404, .delete), (410, .delete):
            return .deleted(nil)
        case (404, .insert):
            throw response.failure("insert an item")
        case (404, _), (410, _):
            return .conflict(try await lookUp(operation.id, dialect, obstacle).item)
        case (409, _), (412, _):
            // A server that answers with what it was sent is asked what it has.
            if let item = response.item(operation.id, dialect.columns, needsVersion: true) {
                return .conflict(item)
            }
            if let other = response.idLike(operation.id) {
                return Self.rejection(of: operation.id, for: other)
            }
            let found = try await lookUp(operation.id, dialect, obstacle)
            if let other = found.idLike { return Self.rejection(of: operation.id, for: other) }
            return .conflict(found.item)
        case (403, _) where response.isWebPage, (400, _) where response.isAboutVersion:
            // The site is switched off, or was replaced: nothing that one document can help.
            throw response.failure("\(operation.kind.rawValue) an item")
        case (429, _), (408, _), (300..<400, _), (500..., _):
            throw response.failure("\(operation.kind.rawValue) an item")
        default:
            let said = response.sentence.map { ": \($0)" } ?? "."
            return .rejected(
                RemoteRejection(
                    reason: "The server answered \(response.status)\(said)",
                    statusCode: response.status, body: response.body))
        }
    }

    /// What is left of a deleted item; a server need not say.
    private func deletedItem(
        _ id: String, _ response: OperationResponse, _ dialect: Dialect
    ) -> RemoteItem? {
        if var item = response.item(id, dialect.columns, needsVersion: false) {
            item.isDeleted = true
            return item
        }
        return response.version.map {
            RemoteItem(id: id, version: $0, isDeleted: true, members: [:])
        }
    }

    /// What became of an item that the server says it stored.
    private func stored(
        _ id: String, _ response: OperationResponse, _ dialect: Dialect,
        _ obstacle: ReplicationError?
    ) async throws(ReplicationError) -> RemoteOutcome {
        if let content = response.content {
            let json = try content.get()
            if let item = response.item(id, dialect.columns, needsVersion: false) {
                return .stored(item)
            }
            if let other = response.idLike(id) { return Self.rejection(of: id, for: other) }
            let isMinimal =
                json.value == .null
                || json.value.objectValue.map { $0[TableColumns.id] == nil } ?? false
            guard isMinimal else {
                throw ReplicationError(
                    .protocolViolation,
                    "The server stored an item and answered with something else.", documentId: id)
            }
        }
        let found = try await lookUp(id, dialect, obstacle)
        if let item = found.item { return .stored(item) }
        if let other = found.idLike { return Self.rejection(of: id, for: other) }
        throw ReplicationError(
            .protocolViolation, "The server stored an item and does not have it.", documentId: id)
    }

    /// The rejection of an item whose identifier the server takes for that of another.
    private static func rejection(of id: String, for other: String) -> RemoteOutcome {
        .rejected(
            reason:
                "The server takes the identifiers '\(id)' and '\(other)' for the same, and has an "
                + "item under the second. Give the document that identifier or another one.")
    }

    private func lookUp(
        _ id: String, _ dialect: Dialect, _ obstacle: ReplicationError?
    ) async throws(ReplicationError) -> LookedUpRow {
        if let obstacle { throw obstacle }
        return try await lookUp(id, dialect)
    }
}
