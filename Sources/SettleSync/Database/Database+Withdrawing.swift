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
        try operation.check(isFor: backend.identifier)
        return try await withdraw(operation, withdrawal) {
            try await backend.prepare()
            let outcome = try await backend.lookUp(operation.documentId)
            guard case .found(let item) = outcome else { return outcome }
            return .found(item.describingAttachments(backend.carriesAttachments))
        }
    }

    /// Withdraws an operation that a remote by revisions refuses, or that the filter delegate holds back.
    ///
    /// - Parameters:
    ///   - operation: As in ``withdraw(_:_:)``.
    ///   - withdrawal: What becomes of the document, with all of its leaves.
    ///   - backend: The remote; nil where it is not to be asked.
    /// - Returns: As in ``withdraw(_:_:)``.
    /// - Throws: As ``withdraw(_:_:using:)``.
    package func withdraw(
        _ operation: PendingOperation, _ withdrawal: OperationWithdrawal,
        using backend: (any RevisionBackend)?
    ) async throws -> Bool {
        let (id, remote) = (operation.documentId, operation.remote)
        if let backend { try operation.check(isFor: backend.identifier) }
        var theirs: [ReadyRevision] = []
        if withdrawal == .takeTheirs {
            guard let backend else { throw operation.unknownToUs }
            _ = try await backend.begin()
            theirs = try await revisions(of: id, backend)
        }
        return try await write { [theirs] transaction in
            let tables = try RemoteTables.byRevisions(remote, in: transaction)
            guard let old = try tables.entry(id),
                try PendingOperation.fingerprint(of: old, id, in: transaction)
                    == operation.fingerprint
            else { return false }
            try tables.setEntry(nil, id, replacing: old)
            if withdrawal == .keepOurs { return true }
            guard try PushQueue.purge(id, in: transaction, tables) else {
                throw PushQueue.stays(id)
            }
            try tables.removeNote(ofDocumentWithId: id, in: transaction)
            for revision in theirs {
                _ = try revision.store(from: remote, tables, in: transaction)
            }
            return true
        }
    }

    /// What a remote has of a document, with the contents of attachments.
    private func revisions(
        of id: String, _ backend: any RevisionBackend
    ) async throws -> [ReadyRevision] {
        let ready = try await RevisionContents(
            database: self, backend: backend,
            concurrentRequestsMax: SyncTuning.concurrentRequestsDefault
        ).ready(try await backend.leaves(of: id))
        if let (_, fault) = ready.faults.first {
            throw ReplicationError(
                .protocolViolation,
                "What '\(backend.identifier)' has of document '\(id)' cannot be a document here: \(fault)",
                documentId: id)
        }
        return ready.revisions
    }

    private func withdraw(
        _ operation: PendingOperation, _ withdrawal: OperationWithdrawal,
        lookingUp lookUp: @Sendable () async throws -> LookUpOutcome
    ) async throws -> Bool {
        if try read({ try RemoteRecord.find(operation.remote, in: $0)?.isByRevisions }) == true {
            return try await withdraw(operation, withdrawal, using: nil)
        }
        let pushQueue = ReplicationCenter.of(self).pushQueue(for: operation.remote, of: self)
        return try await pushQueue.turn.run {
            var theirs: BaseItem?
            if withdrawal == .takeTheirs, try !pushQueue.knowsItem(self, operation.documentId) {
                switch try await lookUp() {
                case .found(let item): theirs = BaseItem(item)
                case .absent: theirs = .absent
                case .notOffered: throw operation.unknownToUs
                }
            }
            return try await pushQueue.withdraw(self, operation, withdrawal, theirs: theirs)
        }
    }
}

extension PendingOperation {
    /// Refuses another remote than that of the operation.
    fileprivate func check(isFor identifier: String) throws(ReplicationError) {
        if identifier == remote { return }
        throw ReplicationError(
            .misconfigured,
            "The operation is for '\(remote)', and the back-end is '\(identifier)'.",
            documentId: documentId)
    }

    fileprivate var unknownToUs: ReplicationError {
        ReplicationError(
            .misconfigured,
            "What '\(remote)' has of document '\(documentId)' is not known here. Hand in a back-end "
                + "that can look it up.", documentId: documentId)
    }
}
