public import Settle

/// Takes part in what happens to the operations of an outbox.
///
/// Each method is called on the writer's thread, in the transaction in which it happens, for what
/// this process does: by calls of ``OutboxTransaction``, and by the outcomes of operations. It may
/// read and write documents and the outbox in that transaction, and all of it is committed or
/// nothing. What it throws comes out of the call, and refuses the commit unless the closure catches
/// it. A closure may run more than once, so a hook keeps nothing outside the transaction.
///
/// Starts, holds, notes, and operations that are given back, marked as active, or moved with their
/// pipeline when the outbox is opened call no hook. For those that a policy coalesces
/// ``didCoalesce(_:with:into:in:)`` is called. Every method does nothing unless it is written.
///
/// ```swift
/// struct NoteStates: OutboxHooks {
///     func didAdd(_ operation: QueuedOperation, in transaction: Transaction) throws {
///         try mark(operation, "waiting", in: transaction)
///     }
///     func didComplete(_ operation: QueuedOperation, in transaction: Transaction) throws {
///         try mark(operation, "stored", in: transaction)
///     }
/// }
/// ```
public protocol OutboxHooks: Sendable {
    /// An operation is about to be added to the graph of this commit.
    ///
    /// - Parameters:
    ///   - operation: The operation, which may be changed: dependencies, priority, documents, and
    ///     the operation itself by ``QueuedOperation/set(_:)``. Its graph has no number yet.
    ///   - transaction: The transaction.
    /// - Throws: Anything, to refuse it.
    func willAdd(_ operation: inout QueuedOperation, in transaction: Transaction) throws

    /// An operation was added to the graph of this commit.
    func didAdd(_ operation: QueuedOperation, in transaction: Transaction) throws

    /// An operation is about to be inserted into the graph of an earlier commit; see
    /// ``willAdd(_:in:)``.
    func willInsert(_ operation: inout QueuedOperation, in transaction: Transaction) throws

    /// An operation was inserted into the graph of an earlier commit.
    func didInsert(_ operation: QueuedOperation, in transaction: Transaction) throws

    /// An operation is about to be changed by ``OutboxTransaction/modify(_:_:)``.
    ///
    /// - Parameters:
    ///   - operation: The operation as it is to be, which may be changed further.
    ///   - old: The operation as it is.
    ///   - transaction: The transaction.
    /// - Throws: Anything, to refuse it.
    func willModify(
        _ operation: inout QueuedOperation, from old: QueuedOperation, in transaction: Transaction
    ) throws

    /// An operation was changed by ``OutboxTransaction/modify(_:_:)``.
    func didModify(
        _ operation: QueuedOperation, from old: QueuedOperation, in transaction: Transaction
    ) throws

    /// An operation is about to be removed because it is done.
    ///
    /// - Throws: Anything, to refuse it. An outcome that is refused is a failure of the operation,
    ///   which is tried again.
    func willComplete(_ operation: QueuedOperation, in transaction: Transaction) throws

    /// An operation was removed because it is done; its status is ``OperationStatus/completed``.
    func didComplete(_ operation: QueuedOperation, in transaction: Transaction) throws

    /// An operation is about to be given up; see ``willComplete(_:in:)``.
    func willSkip(_ operation: QueuedOperation, in transaction: Transaction) throws

    /// An operation was given up; its status is ``OperationStatus/skipped``.
    func didSkip(_ operation: QueuedOperation, in transaction: Transaction) throws

    /// An operation that was added was coalesced by the policy of its pipeline, at the end of the
    /// closure; documents can only be read by then.
    ///
    /// - Parameters:
    ///   - added: The operation that was added, and is not stored.
    ///   - queued: The one that waited.
    ///   - result: What that has become; nil when both are gone.
    ///   - snapshot: What the transaction has made of the database.
    /// - Throws: Anything, to refuse the commit.
    func didCoalesce(
        _ added: QueuedOperation, with queued: QueuedOperation, into result: QueuedOperation?,
        in snapshot: Snapshot
    ) throws
}

extension OutboxHooks {
    /// Does nothing.
    public func willAdd(_ operation: inout QueuedOperation, in transaction: Transaction) throws {}

    /// Does nothing.
    public func didAdd(_ operation: QueuedOperation, in transaction: Transaction) throws {}

    /// Does nothing.
    public func willInsert(
        _ operation: inout QueuedOperation, in transaction: Transaction
    ) throws {}

    /// Does nothing.
    public func didInsert(_ operation: QueuedOperation, in transaction: Transaction) throws {}

    /// Does nothing.
    public func willModify(
        _ operation: inout QueuedOperation, from old: QueuedOperation, in transaction: Transaction
    ) throws {}

    /// Does nothing.
    public func didModify(
        _ operation: QueuedOperation, from old: QueuedOperation, in transaction: Transaction
    ) throws {}

    /// Does nothing.
    public func willComplete(_ operation: QueuedOperation, in transaction: Transaction) throws {}

    /// Does nothing.
    public func didComplete(_ operation: QueuedOperation, in transaction: Transaction) throws {}

    /// Does nothing.
    public func willSkip(_ operation: QueuedOperation, in transaction: Transaction) throws {}

    /// Does nothing.
    public func didSkip(_ operation: QueuedOperation, in transaction: Transaction) throws {}

    /// Does nothing.
    public func didCoalesce(
        _ added: QueuedOperation, with queued: QueuedOperation, into result: QueuedOperation?,
        in snapshot: Snapshot
    ) throws {}
}
