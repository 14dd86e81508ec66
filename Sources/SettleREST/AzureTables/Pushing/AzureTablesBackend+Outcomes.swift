import HTTPTypes
import Settle
public import SettleSync

extension AzureTablesBackend {
    /// What a server made of an operation.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - answer: What the server said.
    ///   - dialect: What it speaks.
    ///   - obstacle: Why nothing more may be asked; thrown in the place of a look-up.
    /// - Returns: The outcome.
    /// - Throws: ``SettleSync/ReplicationError`` when the answer does not tell whether it was
    ///   carried out, or it was not for a reason that has nothing to do with the item.
    func outcome(
        of operation: RemoteOperation, _ answer: OperationAnswer, _ dialect: Dialect,
        unlessAskingMeets obstacle: ReplicationError? = nil
    ) async throws(ReplicationError) -> RemoteOutcome {
        switch (answer.status, operation.kind) {
        case (200..<300, .delete):
            // A login page also says 200.
            _ = try answer.content?.get()
            return .deleted(deletedItem(operation.id, answer, dialect))
        case (200..<300, _):
            return .stored(try await storedItem(operation.id, answer, dialect, obstacle))
        case (404, .delete) where answer.isWebPage, (410, .delete) where answer.isWebPage:
            // It may be somebody else who does not know the address.
            let item = try await lookUp(operation.id, dialect, obstacle)
            if let item, !item.isDeleted { throw answer.failure("delete an item") }
            return .deleted(item)
        case (404, .delete), (410, .delete):
            return .deleted(nil)
        case (404, .insert):
            throw answer.failure("insert an item")
        case (404, _), (410, _):
            return .conflict(try await lookUp(operation.id, dialect, obstacle))
        case (409, _), (412, _):
            // A server that answers with what it was sent is asked what it has.
            if let item = answer.item(operation.id, dialect.columns, needsVersion: true) {
                return .conflict(item)
            }
            return .conflict(try await lookUp(operation.id, dialect, obstacle))
        case (403, _) where answer.isWebPage, (400, _) where answer.isAboutVersion:
            // The site is switched off, or was replaced: nothing that one document can help.
            throw answer.failure("\(operation.kind.rawValue) an item")
        case (429, _), (408, _), (300..<400, _), (500..., _):
            throw answer.failure("\(operation.kind.rawValue) an item")
        default:
            let said = answer.sentence.map { ": \($0)" } ?? "."
            return .rejected(
                RemoteRejection(
                    reason: "The server answered \(answer.status)\(said)",
                    statusCode: answer.status, body: answer.body))
        }
    }

    /// What is left of a deleted item; a server need not say.
    private func deletedItem(
        _ id: String, _ answer: OperationAnswer, _ dialect: Dialect
    ) -> RemoteItem? {
        if var item = answer.item(id, dialect.columns, needsVersion: false) {
            item.isDeleted = true
            return item
        }
        return answer.version.map { RemoteItem(id: id, version: $0, isDeleted: true, members: [:]) }
    }

    /// The item as it is stored now.
    private func storedItem(
        _ id: String, _ answer: OperationAnswer, _ dialect: Dialect,
        _ obstacle: ReplicationError?
    ) async throws(ReplicationError) -> RemoteItem {
        if let content = answer.content {
            _ = try content.get()
            if let item = answer.item(id, dialect.columns, needsVersion: false) { return item }
            throw ReplicationError(
                .protocolViolation,
                "The server stored an item and answered with something else.", documentId: id)
        }
        if let item = try await lookUp(id, dialect, obstacle) { return item }
        throw ReplicationError(
            .protocolViolation, "The server stored an item and does not have it.", documentId: id)
    }

    private func lookUp(
        _ id: String, _ dialect: Dialect, _ obstacle: ReplicationError?
    ) async throws(ReplicationError) -> RemoteItem? {
        if let obstacle { throw obstacle }
        return try await fetch(id, dialect)
    }

    /// Looks up an item, deleted or not, by a list with a filter.
    public func lookUp(_ id: String) async throws(ReplicationError) -> LookUpOutcome {
        let dialect = try await dialectForWriting()
        return try await fetch(id, dialect).map { .found($0) } ?? .absent
    }

    /// The item as the table has it, deleted or not; nil when it has none.
    func fetch(
        _ id: String, _ dialect: Dialect
    ) async throws(ReplicationError) -> RemoteItem? {
        try await row(id, dialect).flatMap { RemoteItem($0, dialect.columns) }
    }

    /// The row of an item, deleted or not; nil when there is none.
    ///
    /// A list with a filter, because the servers do not all show deleted items by identifier.
    func row(_ id: String, _ dialect: Dialect) async throws(ReplicationError) -> JSONValue? {
        let filter = ODataFilter.text(column: TableColumns.id, .equal, id)
        let answer = try await exchange(
            dialect, .get,
            query: [
                QueryParameter("$filter", filter.text(for: dialect.odata)),
                dialect.askingForDeleted,
            ])
        guard answer.status == 200 else { throw answer.failure("look up an item") }
        return try TablePage(answer, dialect: dialect).rows
            .first { $0[TableColumns.id]?.stringValue == id }
    }
}
