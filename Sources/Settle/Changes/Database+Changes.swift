extension Database {
    /// The changes after a sequence, once or for ever.
    ///
    /// The feed gives each document that changed, in the order of the sequences, as it is when it is
    /// read: a document that was changed ten times since comes once. It comes again, with a
    /// higher sequence, when it is changed after it was read. Deletions and purges are changes too.
    /// Commits of other processes are seen like those of this one: own commits at once, others
    /// within ``Database/OpenDatabaseConfiguration/foreignCommitInterval``.
    ///
    /// To go on after a crash, keep the `lastSequence` of what was handled and begin there: nothing
    /// is lost, and what was handled but not kept comes again.
    ///
    /// Purged documents are listed for the last 10,000 purges only
    /// (``Snapshot/forgottenPurgeSequence``). Who begins at 0, with nothing, misses none by that.
    /// Who has come too little far to hear of all of them, or stands at a sequence that this
    /// database never had, cannot be brought up to date: the feed throws `changesForgotten`.
    ///
    /// - Parameters:
    ///   - sequence: Where to begin: 0 for the beginning, ``lastSequence`` for what comes from now
    ///     on, or what was kept.
    ///   - isLive: True for a feed that waits for further changes, until its task is cancelled or
    ///     the database closed; false for one that ends at the sequence the database has when the
    ///     iteration begins.
    ///   - includesDocuments: True to get the documents too, of the same snapshot as the change.
    ///   - type: Leaves out documents whose member `type` is not this text when they are read, also
    ///     those that had this type before. Deleted and purged ones are not left out, because their
    ///     types are not known.
    ///   - ignoresForgottenPurges: True to go on whatever is missing, for who only wants to know
    ///     that something happens.
    ///   - filter: Says which changes are wanted. It gets the document when there is one and
    ///     documents are included, and is called after the snapshot has ended, so it may take its
    ///     time.
    /// - Returns: The feed. Its iteration throws ``DatabaseError``: `changesForgotten`;
    ///   `databaseClosed` when it is not live or was begun after the close; `corrupted` or
    ///   `inputOutput` when the database cannot be read.
    /// - Complexity: O(log n) page reads for each change, and as many for its document.
    public func changes(
        since sequence: UInt64, isLive: Bool = false, includesDocuments: Bool = false,
        ofType type: String? = nil, ignoresForgottenPurges: Bool = false,
        filter: (@Sendable (DocumentChange, Document?) -> Bool)? = nil
    ) -> ChangeFeed {
        ChangeFeed(
            source: ChangeSource(
                database: self,
                options: .init(
                    since: sequence, isLive: isLive, includesDocuments: includesDocuments,
                    type: type, ignoresForgottenPurges: ignoresForgottenPurges, filter: filter)))
    }

    /// The changes after a sequence at this moment, each document once, at its last change.
    ///
    /// Purged documents are among them, but only for the last 10,000 purges: see
    /// ``Snapshot/forgottenPurgeSequence``.
    ///
    /// - Parameters:
    ///   - sequence: Where to start; 0 for the beginning.
    ///   - limit: The most changes to return.
    /// - Returns: The changes and where to go on.
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read.
    /// - Complexity: O(log n + k) page reads for k changes, which are all in memory then; a
    ///   ``ChangeFeed`` reads them in pages.
    public func changeBatch(since sequence: UInt64, limit: Int = .max) throws -> ChangeBatch {
        try read { try $0.changes(since: sequence, limit: limit) }
    }

    /// The commits of this process from now on, one element each, in order.
    ///
    /// Every call gives a stream of its own, which ends when the database is closed. For those who
    /// must see each commit as it was made: the same document may be in many of them, and what
    /// other processes commit is in none. Commits that are not read yet wait in memory, without
    /// limit, with an identifier and some 100 bytes for each change; who may fall behind, or
    /// resumes after a restart, takes
    /// ``changes(since:isLive:includesDocuments:ofType:ignoresForgottenPurges:filter:)`` instead.
    public var commits: AsyncStream<Commit> { hub.stream() }

    /// Yields whenever something was committed, by this process or another.
    ///
    /// For those who look at side tables, which are in no feed of changes. Commits of this process
    /// that change documents are notified at once, everything else within
    /// ``Database/OpenDatabaseConfiguration/foreignCommitInterval``. One element may stand for many commits, and
    /// one may come for a commit that was there before; none is missed. Every call gives a
    /// stream of its own, which ends when the database is closed.
    public func commitSignals() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        hub.addSignal(continuation)
        return stream
    }
}
