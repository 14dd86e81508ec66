import SettleStorage

extension Database {
    /// Runs a closure that changes documents, and returns when its commit is stored.
    ///
    /// All of it is committed or, when the closure throws, nothing. Closures run one after the
    /// other on a thread of the database's own; those that arrive together share one flush. The
    /// closure may run more than once (the file had to grow; another closure in the same commit
    /// failed), so it must do nothing but use its transaction and compute.
    ///
    /// - Parameter body: What to do.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: What `body` or a ``CommitParticipant`` throws; ``DatabaseError`` with
    ///   `databaseClosed`, `diskFull`, `readOnly`, or `inputOutput` when it cannot be stored.
    @discardableResult
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(body) { continuation.resume(with: $0) }
        }
    }

    /// Queues a closure for the writer, in the order of the calls; see ``write(_:)``.
    ///
    /// For what is called where nothing may wait: after a commit, on the writer's thread.
    package func enqueue<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let span = TraceSpan("settle.commit")
        store.write(
            { [self] base in
                let transaction = Transaction(base, of: self)
                let value = try body(transaction)
                try join(transaction)
                return (value, transaction.afterCommit, base.changes.count)
            },
            completion: { result in
                switch result {
                case .success((_, let actions, let count)):
                    for action in actions { action() }
                    span.set("settle.documents", to: count)
                    span.end()
                case .failure(let error): span.end(throwing: DatabaseError.translated(error))
                }
                completion(result.map(\.0).mapError(DatabaseError.translated))
            })
    }

    /// Lets the participants that a closure concerns do their part of the commit.
    private func join(_ transaction: Transaction) throws {
        let participants = self.participants.all
        if participants.isEmpty, transaction.localStates.isEmpty { return }
        let changes = transaction.hasChanges ? transaction.changes : []
        // Those without local state first: what they do may change that of others.
        if !changes.isEmpty {
            for participant in participants where !transaction.hasLocalState(of: participant) {
                try participant.willCommit(changes, in: transaction)
            }
        }
        for participant in transaction.localStates.values.sorted(by: { $0.order < $1.order })
            .map(\.participant)
        {
            try participant.willCommit(changes, in: transaction)
        }
    }

    /// Hands one consistent state of the database to a closure, without waiting for writers.
    ///
    /// The closure runs on the calling thread. While it runs, the file can neither reuse the pages
    /// of documents that are replaced meanwhile nor grow, so it should be short: a writer that
    /// needs a larger file waits for it, up to 30 seconds, and new reads wait for that writer.
    ///
    /// - Parameters:
    ///   - name: What the read is for; ``statistics()`` lists it with its age while it lasts, and
    ///     so does the error of a writer that waited for it in vain. The calling function if not
    ///     said.
    ///   - body: What to read. It must not keep the snapshot.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``DatabaseError`` when the database is closed or cannot be read.
    public func read<Value>(
        named name: String = #function, _ body: (Snapshot) throws -> Value
    ) throws -> Value {
        try DatabaseError.translating {
            try store.read(name) { try body(Snapshot($0, of: self)) }
        }
    }

    /// Lets an object take part in every write from now on.
    ///
    /// Adding it twice does nothing.
    public func addParticipant(_ participant: any CommitParticipant) {
        participants.add(participant)
    }

    /// Ends what ``addParticipant(_:)`` began.
    public func removeParticipant(_ participant: any CommitParticipant) {
        participants.remove(participant)
    }
}
