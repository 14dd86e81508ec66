public import Foundation
import Settle

extension OutboxTransaction {
    /// Removes an operation that is done, whoever has done it; what waited for it may start.
    ///
    /// - Returns: False when it is not in the outbox: it was completed or skipped before.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be written.
    @discardableResult
    public func complete(_ id: UUID) throws -> Bool {
        try finish(id, as: .completed)
    }

    /// Gives an operation up; what waited for it may start.
    ///
    /// - Returns: False when it is not in the outbox.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be written.
    @discardableResult
    public func skip(_ id: UUID) throws -> Bool {
        try finish(id, as: .skipped)
    }

    /// Gives up all operations of a pipeline, or of all pipelines, that pass a test.
    ///
    /// - Parameters:
    ///   - pipeline: The name of the pipeline; nil for all.
    ///   - test: Says whether an operation is given up.
    /// - Returns: How many were.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be written; what `test`
    ///   throws.
    @discardableResult
    public func skipOperations(
        in pipeline: String? = nil, where test: (QueuedOperation) throws -> Bool = { _ in true }
    ) throws -> Int {
        let chosen = try operations(in: pipeline).filter(test)
        for operation in chosen { try skip(operation.id) }
        return chosen.count
    }

    /// Gives an operation that was started back to the queue, as one that is pending.
    ///
    /// For one that somebody outside its pipeline's handler looks after; the handler says it by
    /// its ``OperationOutcome``.
    ///
    /// - Parameters:
    ///   - id: The operation.
    ///   - delay: After how many seconds it may start again, 0 for at once. It is a hold of the
    ///     context ``Outbox/retryContext``.
    /// - Throws: ``OutboxError`` with `operationNotFound`, `operationIsNotActive`.
    public func giveBack(_ id: UUID, after delay: TimeInterval = 0) throws {
        try giveBack(id, after: delay, failure: nil)
    }

    /// Gives an operation back that was started and has certainly done nothing: that start is not counted.
    ///
    /// - Parameter id: The operation.
    /// - Throws: ``OutboxError`` with `operationNotFound`, `operationIsNotActive`.
    package func takeBackStart(of id: UUID) throws {
        try giveBack(id, after: 0, failure: nil, isCounted: false)
    }

    /// Gives an operation back; with why it failed, when it did.
    func giveBack(
        _ id: UUID, after delay: TimeInterval, failure: OperationFault?, isCounted: Bool = true
    ) throws {
        guard let key = try table.key(of: id), let old = try table.row(key) else {
            throw OutboxError.notFound(id)
        }
        guard try schedule.isStarted(key) else {
            throw OutboxError(
                .operationIsNotActive,
                "The operation \(id) has not been started, so it cannot be given back.",
                operationId: id)
        }
        var row = old
        row.holds[Outbox.retryContext] =
            delay > 0 ? outbox.now.addingTimeInterval(delay) : nil
        if let failure { row.failure = failure }
        if !isCounted, row.startCount > 0 { row.startCount -= 1 }
        try replace(key, old, with: row)
        try recordModified(key, id)
        let pipeline = try name(of: key.pipeline)
        transaction.afterCommit { [outbox] in outbox.ended([id], in: pipeline) }
    }

    /// Marks an operation as active that something outside its pipeline works at already.
    ///
    /// For an upload that was found going on after a restart. It counts among the active ones of its
    /// pipeline until it is completed, skipped, or given back. One that this closure has added is not
    /// in the outbox yet.
    ///
    /// - Throws: ``OutboxError`` with `operationNotFound`, `operationIsActive`.
    public func markActive(_ id: UUID) throws {
        var (key, row) = try pending(id)
        try schedule.unlist(key, row)
        try schedule.start(key, &row)
        let pipeline = try name(of: key.pipeline)
        let start = OperationStart(number: key.number, count: Int(clamping: row.startCount))
        transaction.afterCommit { [outbox] in outbox.marked(id, start, in: pipeline) }
    }

    private func finish(_ id: UUID, as status: OperationStatus) throws -> Bool {
        guard let hooks = outbox.hooks else { return try remove(id, as: status) }
        guard var operation = try operation(id) else { return false }
        if status == .completed {
            try hooks.willComplete(operation, in: transaction)
        } else {
            try hooks.willSkip(operation, in: transaction)
        }
        // The hook may have ended it.
        guard try remove(id, as: status) else { return false }
        operation.status = status
        if status == .completed {
            try hooks.didComplete(operation, in: transaction)
        } else {
            try hooks.didSkip(operation, in: transaction)
        }
        return true
    }

    private func remove(_ id: UUID, as status: OperationStatus) throws -> Bool {
        if let draft = pendingOperations.draft(id) {
            pendingOperations.drop(id)
            pendingOperations.record(draft.operation.pipeline) { $0.finish(id, as: status) }
            return true
        }
        guard let key = try table.key(of: id), let row = try table.row(key) else { return false }
        pendingOperations.forget(id)
        try schedule.finish(key, row)
        try pendingOperations.record(name(of: key.pipeline)) { $0.finish(id, as: status) }
        return true
    }
}
