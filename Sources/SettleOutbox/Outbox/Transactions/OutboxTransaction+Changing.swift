public import Foundation
import Settle

extension OutboxTransaction {
    /// Changes an operation that has not been started.
    ///
    /// - Parameters:
    ///   - id: The operation.
    ///   - change: Changes the copy it is handed: dependencies, priority, documents, recorded fields,
    ///     or the operation itself by ``QueuedOperation/set(_:)``.
    /// - Throws: ``OutboxError`` with `operationNotFound`, `operationIsActive`; at the end of the
    ///   closure as ``add(_:id:pipeline:about:recordsChanges:dependencies:priority:)``; what `change` throws.
    public func modify(_ id: UUID, _ change: (inout QueuedOperation) throws -> Void) throws {
        if let draft = pendingOperations.draft(id) {
            let (old, operation) = try changed(draft.operation, change)
            // A hook may have ended it.
            guard var draft = pendingOperations.draft(id) else { throw OutboxError.notFound(id) }
            draft.change(to: operation)
            pendingOperations.add(draft)
            try outbox.hooks?.didModify(draft.operation, from: old, in: transaction)
            return
        }
        let before = try pending(id)
        var (old, operation) = try changed(
            stored().operation(before.key, before.row), change)
        try operation.checkDocuments()
        // The change or a hook may have held it, noted something, or ended it.
        let (key, row) = try pending(id)
        try replace(key, row, with: OperationRow(operation, isStrict: row.isStrict, row))
        (operation.holds, operation.notes) = (row.holds, row.notes)
        pendingOperations.record(operation.pipeline) { $0.modify(id) }
        try outbox.hooks?.didModify(operation, from: old, in: transaction)
    }

    /// An operation before and after a change, which the hook may change further or refuse.
    private func changed(
        _ old: QueuedOperation, _ change: (inout QueuedOperation) throws -> Void
    ) throws -> (old: QueuedOperation, new: QueuedOperation) {
        var operation = old
        try change(&operation)
        try outbox.hooks?.willModify(&operation, from: old, in: transaction)
        return (old, operation)
    }

    /// Stores a changed row, and has it listed again at the end of the closure.
    func replace(_ key: OperationKey, _ old: OperationRow, with new: OperationRow) throws {
        try schedule.unlist(key, old)
        if !new.documentIds.elementsEqual(old.documentIds, by: { $0.hasBytes(of: $1) }) {
            for id in old.documentIds { try table.remove(OutboxRowKey.document(id, key)) }
            for id in new.documentIds { try table.set(OutboxRowKey.document(id, key)) }
        }
        try table.set(new, key)
        pendingOperations.modify(key, from: old)
    }

    /// Holds an operation back, for a reason of its own.
    ///
    /// It starts when the latest of the dates of all reasons has come. Holds are stored, and last
    /// over a restart.
    ///
    /// - Parameters:
    ///   - id: The operation.
    ///   - date: Until when; nil to let go.
    ///   - context: The name of the reason, 1 to 200 bytes of UTF-8.
    /// - Throws: ``OutboxError`` with `operationNotFound`, `operationIsActive`, `invalidName`.
    public func hold(_ id: UUID, until date: Date?, context: String) throws {
        guard (1...200).contains(context.utf8.count) else {
            throw OutboxError(
                .invalidName,
                "The name of the reason of a hold has 1 to 200 bytes of UTF-8, not "
                    + "\(context.utf8.count).", operationId: id)
        }
        if var draft = pendingOperations.draft(id) {
            draft.operation.holds[context] = date
            pendingOperations.add(draft)
            return
        }
        let (key, old) = try pending(id)
        var row = old
        row.holds[context] = date
        if row.holds == old.holds { return }
        try replace(key, old, with: row)
        try recordModified(key, id)
    }

    /// Ends holds of waiting operations, so that they start as soon as their turn comes: "retry now".
    ///
    /// - Parameters:
    ///   - pipeline: The name of the pipeline; nil for all.
    ///   - context: Which holds: ``Outbox/retryContext`` for those after failures; nil for all.
    /// - Returns: How many operations were held for that reason.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be written.
    /// - Complexity: Linear in the number of operations.
    @discardableResult
    public func releaseHolds(in pipeline: String? = nil, context: String? = nil) throws -> Int {
        var count = 0
        for operation in try operations(in: pipeline) where operation.status != .active {
            let contexts = operation.holds.keys.filter { context == nil || context == $0 }
            for context in contexts { try hold(operation.id, until: nil, context: context) }
            if !contexts.isEmpty { count += 1 }
        }
        return count
    }

    /// Ends every hold of an operation, so that it starts as soon as its turn comes.
    ///
    /// - Throws: ``OutboxError`` with `operationNotFound`, `operationIsActive`.
    public func releaseHolds(_ id: UUID) throws {
        if var draft = pendingOperations.draft(id) {
            draft.operation.holds = [:]
            pendingOperations.add(draft)
            return
        }
        let (key, old) = try pending(id)
        if old.holds.isEmpty { return }
        var row = old
        row.holds = [:]
        try replace(key, old, with: row)
        try recordModified(key, id)
    }
}

extension PendingOutboxOperations.Draft {
    /// Takes what a copy of the operation was changed to.
    ///
    /// Holds and notes have calls of their own, and may be newer than the copy.
    mutating func change(to copy: QueuedOperation) {
        let (holds, notes) = (operation.holds, operation.notes)
        operation = copy
        (operation.holds, operation.notes) = (holds, notes)
    }
}

extension QueuedOperation {
    /// Whether it is about a document, by the bytes of the identifier.
    func isAbout(_ documentId: String) -> Bool {
        documentIds.contains { $0.hasBytes(of: documentId) }
    }

    /// Checks that what changed in its documents can be told apart.
    func checkRecording() throws(OutboxError) {
        guard Set(documentIds).count < Set(documentIds.map { Array($0.utf8) }).count else { return }
        throw OutboxError(
            .invalidOperation,
            "The operation \(id) is to record the changes of two documents whose identifiers are equal as "
                + "texts and have different bytes. Add an operation for each.", operationId: id)
    }

    /// Checks that the operation can be found by the documents it is about.
    func checkDocuments() throws(OutboxError) {
        for documentId in documentIds where !(1...255).contains(documentId.utf8.count) {
            throw OutboxError(
                .invalidOperation,
                "The operation \(id) is about a document whose identifier has "
                    + "\(documentId.utf8.count) bytes; it has 1 to 255.", operationId: id)
        }
    }
}
