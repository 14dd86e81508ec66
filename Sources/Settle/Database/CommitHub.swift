import Dispatch
import SettlePrimitives
import SettleStorage
import Synchronization

/// Carries each commit from the writer to the feeds, the delegate, the streams, and the observers.
///
/// `publish` runs on the writer's thread and only hands things over. What other processes commit
/// comes through `signal` alone.
final class CommitHub: Sendable {
    private struct State {
        weak var database: Database?
        weak var delegate: (any DatabaseChangeDelegate)?
        var signals: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var isFinished = false
    }
    private let state = Lock(State())
    private let commits = Broadcast<Commit>()
    /// Tells of new sequences, also those that other processes committed.
    let signal: CommitSignal
    /// Keeps the calls of the delegate in order when the queue they are made on is concurrent.
    private let delegateQueue: DispatchQueue

    init(_ configuration: Database.OpenDatabaseConfiguration) {
        signal = CommitSignal(
            clock: configuration.clock, interval: configuration.foreignCommitInterval)
        delegateQueue = DispatchQueue(
            label: "settle-changes", target: configuration.completionQueue)
    }

    func attach(_ database: Database) {
        state.withLock { $0.database = database }
        signal.attach(database.store)
    }

    var delegate: (any DatabaseChangeDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    func publish(_ commit: StoreCommit) {
        let (database, hasDelegate) = state.withLock { ($0.database, $0.delegate != nil) }
        if commit.setsExpirations, let database { database.expirations.start(database) }
        guard !commit.changes.isEmpty else { return }
        // First, so that those who are woken find what has happened to the indexes.
        database?.observers.published()
        signal.committed(commit.sequence)
        // Large commits are common when nobody listens: while a database is filled.
        if !commits.isEmpty || hasDelegate {
            let commit = Commit(
                sequence: commit.sequence, changes: commit.changes.map { DocumentChange($0) })
            commits.send(commit)
            if let database { notifyDelegate(of: commit, in: database) }
        }
    }

    /// A stream of the commits from now on.
    ///
    /// It ends when the database is closed.
    func stream() -> AsyncStream<Commit> { commits.stream(.unbounded) }

    /// Has a stream yield at every commit that ``signal`` tells of, until the database is closed.
    func addSignal(_ stream: AsyncStream<Void>.Continuation) {
        let number = signal.addListener { _ in stream.yield() }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.signals[number] = stream }
            return state.isFinished
        }
        if isFinished { return stream.finish() }
        stream.onTermination = { [weak self] _ in
            guard let self else { return }
            signal.removeListener(number)
            _ = state.withLock { $0.signals.removeValue(forKey: number) }
        }
    }

    func finish() {
        signal.close()
        let signals = state.withLock { state in
            state.isFinished = true
            defer { state.signals = [:] }
            return Array(state.signals.values)
        }
        for stream in signals { stream.finish() }
        commits.finish()
    }

    private func notifyDelegate(of commit: Commit, in database: Database) {
        guard delegate != nil else { return }
        // By bytes: equal texts of different bytes are different documents.
        var last: [[UInt8]: UInt64] = [:]
        for change in commit.changes { last[Array(change.documentId.utf8)] = change.sequence }
        let details = commit.changes.filter {
            last[Array($0.documentId.utf8)] == $0.sequence
        }.map { change in
            DocumentChangedDetails(
                documentId: change.documentId, isFromReplication: change.isFromReplication,
                isDeleted: change.isDeleted, isPurged: change.isPurged)
        }
        delegateQueue.async { [weak self] in
            // Asked again, because the delegate may be gone by now.
            self?.delegate?.database(database, documentsChanged: details)
        }
    }
}
