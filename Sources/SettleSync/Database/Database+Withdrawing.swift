public import Settle

extension Database {
    /// Withdraws a pending operation, so that it is not sent any more.
    ///
    /// For what the server refuses for good, and for any other operation or conflict that waits. A
    /// push that is under way is waited for, so that nothing is withdrawn that is being sent; do
    /// not call this from a conflict handler. An operation whose answer was lost may have been
    /// carried out: then the next pull shows it.
    ///
    /// - Parameters:
    ///   - operation: An operation from ``pendingOperations(with:)`` or
    ///     ``rejectedOperations(with:)``.
    ///   - withdrawal: What becomes of the document.
    /// - Returns: False when the document or the operation changed since it was listed, and nothing
    ///   was done: list it again.
    /// - Throws: ``ReplicationError`` with `misconfigured` when what the server has is wanted and
    ///   not known here: hand in the back-end, as in ``withdraw(_:_:using:)``; with
    ///   `pendingOperations` when the document is to be purged and another remote is still to be
    ///   told of it; what the database throws when it cannot be read or written.
    @discardableResult
    public func withdraw(
        _ operation: PendingOperation, _ withdrawal: OperationWithdrawal
    ) async throws -> Bool {
        try await withdraw(operation, withdrawal) { () async throws -> LookUpOutcome in .notOffered
        }
    }

    /// Withdraws a pending operation, and asks the server for what it has when that is wanted and
    /// not known here.
    ///
    /// - Parameters:
    ///   - operation: As in ``withdraw(_:_:)``.
    ///   - withdrawal: What becomes of the document.
    ///   - backend: The remote of the operation.
    /// - Returns: As in ``withdraw(_:_:)``.
    /// - Throws: As ``withdraw(_:_:)``; ``ReplicationError`` when the server cannot be asked, and
    ///   with `misconfigured` when `backend` is another remote.
    @discardableResult
    public func withdraw(
        _ operation: PendingOperation, _ withdrawal: OperationWithdrawal,
        using backend: some Backend
    ) async throws -> Bool {
        guard backend.identifier == operation.remote else {
            throw ReplicationError(
                .misconfigured,
                "The operation is for '\(operation.remote)', and the back-end is "
                    + "'\(backend.identifier)'.", documentId: operation.documentId)
        }
        return try await withdraw(operation, withdrawal) {
            try await backend.prepare()
            let outcome = try await backend.lookUp(operation.documentId)
            guard case .found(let item) = outcome else { return outcome }
            return .found(item.describingAttachments(backend.carriesAttachments))
        }
    }

    private func withdraw(
        _ operation: PendingOperation, _ withdrawal: OperationWithdrawal,
        lookingUp lookUp: @Sendable () async throws -> LookUpOutcome
    ) async throws -> Bool {
        let pushQueue = ReplicationCenter.of(self).pushQueue(for: operation.remote, of: self)
        return try await pushQueue.turn.run {
            var theirs: BaseItem?
            if withdrawal == .takeTheirs, try !pushQueue.knowsItem(self, operation.documentId) {
                switch try await lookUp() {
                case .found(let item): theirs = BaseItem(item)
                case .absent: theirs = .absent
                case .notOffered:
                    throw ReplicationError(
                        .misconfigured,
                        "What '\(operation.remote)' has of document '\(operation.documentId)' is "
                            + "not known here. Hand in a back-end that can look it up.",
                        documentId: operation.documentId)
                }
            }
            return try await pushQueue.withdraw(self, operation, withdrawal, theirs: theirs)
        }
    }
}
