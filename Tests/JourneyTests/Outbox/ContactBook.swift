import Foundation
import Settle
import SettleOutbox

/// Upload a contact, as it is when its turn comes.
struct PutContact: OutboxOperation {
    static let operationName = "put-contact"
    var contactId: String
    var path: String { "contacts/\(contactId).json" }
}

/// Contacts that are edited here and stored in a cloud; the first example of the guide.
struct ContactBook: PipelineDelegate {
    let database: Database
    let cloud: FooBarCloud
    let retries: RetryPolicy

    func open() async throws -> Outbox {
        let pipeline = PipelineConfiguration(retries: retries, delegate: self)
        return try await database.openOutbox(
            OutboxConfiguration(operations: [PutContact.self], pipelines: [pipeline]))
    }

    func edit(_ id: String, _ change: @escaping @Sendable (inout Document) -> Void) async throws {
        try await database.write { transaction in
            var contact = try transaction.document(id) ?? Document(id: id)
            change(&contact)
            try transaction.save(contact)
            try transaction.outbox.add(
                PutContact(contactId: id), about: [id], recordsChanges: true)
        }
    }

    func start(
        _ operation: QueuedOperation, in pipeline: Pipeline
    ) async throws -> OperationOutcome {
        guard let put = try operation.operation(as: PutContact.self) else { return .skipped() }
        guard let (contact, known) = try contact(of: put) else { return .skipped() }
        if let etag = try await cloud.put(contact.toJSON(), to: put.path, over: known) {
            return .completed { try $0.outbox.setTag(.string(etag), "etag", of: put.path) }
        }
        let (file, etag) = try await cloud.get(put.path)
        let theirs = try Document(json: file)
        return .retry { transaction in
            try merge(theirs, into: operation.id, in: transaction)
            try transaction.outbox.setTag(.string(etag), "etag", of: put.path)
        }
    }

    private func contact(of put: PutContact) throws -> (contact: Document, etag: String?)? {
        try database.read { snapshot in
            guard let contact = try snapshot.document(put.contactId) else { return nil }
            let tag = try OutboxSnapshot(in: snapshot).tag("etag", of: put.path)
            guard case .string(let etag)? = tag else { return (contact, nil) }
            return (contact, etag)
        }
    }

    private func merge(
        _ theirs: Document, into operation: UUID, in transaction: Transaction
    ) throws {
        let (queue, id) = (try transaction.outbox, theirs.id)
        guard let ours = try transaction.document(id) else { return }
        var merged = theirs
        merged.attachments = ours.attachments
        for edit in try queue.operations(about: id) {
            edit.changedFields[id]?.apply(to: &merged)
        }
        try transaction.save(merged)
        let rest = FieldChanges(from: theirs, to: merged)
        if rest.isEmpty {
            try queue.complete(operation)
        } else {
            try queue.modify(operation) { $0.changedFields[id] = rest }
        }
    }

    func fetch(_ id: String) async throws {
        let put = PutContact(contactId: id)
        let known = try contact(of: put)?.etag
        let (file, etag) = try await cloud.get(put.path)
        try await database.write { transaction in
            let queue = try transaction.outbox
            // What waits to be sent is merged when it is sent.
            guard try queue.operations(about: id).isEmpty else { return }
            guard try queue.tag("etag", of: put.path) == known.map({ .string($0) }) else { return }
            var theirs = try Document(json: file)
            theirs.attachments = try transaction.document(id)?.attachments ?? []
            try transaction.save(theirs)
            try queue.setTag(.string(etag), "etag", of: put.path)
        }
    }

    func retryNow() async throws {
        guard let outbox = database.outbox else { return }
        try await outbox.write { queue in
            _ = try queue.releaseHolds(context: Outbox.retryContext)
        }
    }
}
