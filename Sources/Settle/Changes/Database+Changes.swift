extension Database {
    /// The commits from now on, one element each, in order.
    ///
    /// Every call gives a stream of its own, which ends when the database is closed. Commits that
    /// are not read yet wait in memory; to resume after a restart, ask ``changes(since:limit:)``
    /// instead.
    public var commits: AsyncStream<Commit> { hub.stream() }

    /// The changes after a sequence, each document once, at its last change.
    ///
    /// Purged documents are among them, but only for the last 10,000 purges: see
    /// ``Snapshot/forgottenPurgeSequence``.
    ///
    /// - Parameters:
    ///   - sequence: Where to start; 0 for the beginning.
    ///   - limit: The most changes to return.
    /// - Returns: The changes and where to go on.
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read.
    /// - Complexity: O(log n + k) page reads for k changes.
    public func changes(since sequence: UInt64, limit: Int = .max) throws -> ChangeBatch {
        try read { try $0.changes(since: sequence, limit: limit) }
    }
}
