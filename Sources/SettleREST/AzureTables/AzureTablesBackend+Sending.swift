import HTTPTypes
import Settle
public import SettleSync

extension AzureTablesBackend {
    /// Carries out one operation.
    ///
    /// Inserts are POST to the table, updates PATCH with all members (those that were removed as
    /// null, since PATCH merges), deletions DELETE, undeletions POST to the item without a body.
    public func send(
        _ operation: RemoteOperation
    ) async throws(ReplicationError) -> RemoteOutcome {
        let id = operation.id
        if id == "." || id == ".." {
            return .rejected(reason: "The identifier '\(id)' means a directory in an address.")
        }
        let answer: HTTPAnswer
        switch operation.kind {
        case .insert:
            answer = try await exchange(
                .post, address.path(), body: Self.body(of: operation, withId: true))
        case .update:
            answer = try await exchange(
                .patch, address.path(ofItem: id), body: Self.body(of: operation, withId: false),
                matching: operation.baseVersion)
        case .delete:
            answer = try await exchange(
                .delete, address.path(ofItem: id), matching: operation.baseVersion)
        case .undelete:
            answer = try await exchange(
                .post, address.path(ofItem: id), matching: operation.baseVersion)
        }
        return try await outcome(of: operation, answer)
    }

    private static func body(of operation: RemoteOperation, withId: Bool) -> JSONValue {
        var members = SystemColumns.escaped(operation.members)
        for name in operation.changedNames ?? [] where operation.members[name] == nil {
            members[SystemColumns.escaped(name)] = .null
        }
        if withId { members[SystemColumns.id] = .string(operation.id) }
        return .object(members)
    }

    private func outcome(
        of operation: RemoteOperation, _ answer: HTTPAnswer
    ) async throws(ReplicationError) -> RemoteOutcome {
        switch (answer.status, operation.kind) {
        case (200..<300, .delete):
            return .deleted(deletedItem(operation.id, answer))
        case (200..<300, _):
            return .stored(try await storedItem(operation.id, answer))
        case (404, .delete), (410, .delete):
            return .deleted(nil)
        case (404, .insert):
            throw answer.failure("insert an item")
        case (404, _), (410, _):
            return .conflict(try await fetch(operation.id))
        case (409, _), (412, _):
            // A server that answers with what it was sent is asked what it has.
            if let item = answer.item(operation.id, needsVersion: true) { return .conflict(item) }
            return .conflict(try await fetch(operation.id))
        case (429, _), (408, _), (300..<400, _), (500..., _):
            throw answer.failure("\(operation.kind.rawValue) an item")
        default:
            let said = answer.sentence.map { ": \($0)" } ?? "."
            return .rejected(reason: "The server answered \(answer.status)\(said)")
        }
    }

    /// What is left of a deleted item; a server need not say.
    private func deletedItem(_ id: String, _ answer: HTTPAnswer) -> RemoteItem? {
        if var item = answer.item(id, needsVersion: false) {
            item.isDeleted = true
            return item
        }
        let tag = EntityTag.version(in: answer.response.headerFields[.eTag])
        return tag.map { RemoteItem(id: id, version: $0, isDeleted: true, members: [:]) }
    }

    /// The item as it is stored now.
    private func storedItem(
        _ id: String, _ answer: HTTPAnswer
    ) async throws(ReplicationError) -> RemoteItem {
        if !answer.body.isEmpty {
            _ = try answer.json()
            if let item = answer.item(id, needsVersion: false) { return item }
            throw ReplicationError(
                .protocolViolation,
                "The server stored an item and answered with something else.", documentId: id)
        }
        if let item = try await fetch(id) { return item }
        throw ReplicationError(
            .protocolViolation, "The server stored an item and does not have it.", documentId: id)
    }

    /// The item as the table has it, deleted or not; nil when it has none.
    ///
    /// A list with a filter, because the servers do not all show deleted items by identifier.
    private func fetch(_ id: String) async throws(ReplicationError) -> RemoteItem? {
        let answer = try await exchange(
            .get,
            address.path(query: [
                ("$filter", ODataFilter.equalsText(column: SystemColumns.id, id).text),
                ("__includeDeleted", "true"),
            ]))
        guard answer.status == 200 else { throw answer.failure("look up an item") }
        return try Self.rows(in: answer).rows.lazy.compactMap { RemoteItem($0) }
            .first { $0.id == id }
    }
}
