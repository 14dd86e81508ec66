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
        try await DatabaseError.translating {
            try await store.write { [self] base in
                let transaction = Transaction(base, of: self)
                let value = try body(transaction)
                let changes = transaction.changes
                if !changes.isEmpty {
                    for participant in participants.all {
                        try participant.willCommit(changes, in: transaction)
                    }
                }
                return value
            }
        }
    }

    /// Hands one consistent state of the database to a closure, without waiting for writers.
    ///
    /// The closure runs on the calling thread. While it runs, the file cannot reuse the pages of
    /// documents that are replaced meanwhile, so it should be short.
    ///
    /// - Parameter body: What to read. It must not keep the snapshot.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``DatabaseError`` when the database is closed or cannot be read.
    public func read<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        try DatabaseError.translating {
            try store.read("read") { try body(Snapshot($0, of: self)) }
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
