import Dispatch
import Logging
import Settle
import SettlePrimitives
import Synchronization

/// What replication keeps beside a database for as long as that is open.
///
/// The lock guards everything that changes; nothing is called while it is held.
final class ReplicationCenter: Sendable {
    private struct State {
        weak var filterDelegate: (any ReplicationFilterDelegate)?
        weak var statusDelegate: (any ReplicationStatusDelegate)?
        /// Says nothing until somebody hands in another.
        var logger = Logger(label: "settle.replication") { _ in SwiftLogNoOpLogHandler() }
        var pushQueues: [String: PushQueue] = [:]
        /// The replications of `startReplication`, which one call starts.
        var sessions: [any RunningReplication] = []
        /// Those that were started beside others.
        var added: [any RunningReplication] = []
        /// The last of the calls that do not wait; each follows the one before.
        var lastCall: Task<Void, Never>?
    }

    private let state = Lock(State())
    private let broadcast = Broadcast<ReplicationEvent>()
    private let reports = Broadcast<ReplicationReport>()
    /// Where delegates are called: one call at a time and in order, also when the database's queue
    /// is concurrent and several replications run.
    let delegateQueue: DispatchQueue

    init(_ database: Database) {
        delegateQueue = DispatchQueue(
            label: "settle-replication-delegates", target: database.completionQueue)
    }

    /// The center of a database.
    static func of(_ database: Database) -> ReplicationCenter {
        database.scopedObject { ReplicationCenter(database) }
    }

    var filterDelegate: (any ReplicationFilterDelegate)? {
        get { state.withLock { $0.filterDelegate } }
        set { state.withLock { $0.filterDelegate = newValue } }
    }

    var statusDelegate: (any ReplicationStatusDelegate)? {
        get { state.withLock { $0.statusDelegate } }
        set { state.withLock { $0.statusDelegate = newValue } }
    }

    var logger: Logger {
        get { state.withLock { $0.logger } }
        set { state.withLock { $0.logger = newValue } }
    }

    /// Where a replication logs.
    func logger(of remote: String, _ configuration: ReplicationConfiguration) -> Logger {
        var logger = configuration.logger ?? self.logger
        logger[metadataKey: "remote"] = "\(remote)"
        return logger
    }

    /// The replications that run and that one call started.
    var sessions: [any RunningReplication] { state.withLock { $0.sessions } }

    /// Puts sessions in the place of those that run, which are told to stop.
    func replaceSessions(with sessions: [any RunningReplication]) -> [any RunningReplication] {
        let previous = state.withLock { state in
            defer { state.sessions = sessions }
            return state.sessions
        }
        for session in previous { session.cancel() }
        return previous
    }

    /// The replications that were started beside others and run.
    var added: [any RunningReplication] { state.withLock { $0.added } }

    /// Puts a session beside those that run.
    func add(_ session: any RunningReplication) {
        state.withLock { $0.added.append(session) }
    }

    /// Starts a session in the place of those that run.
    func beginAlone(_ session: any RunningReplication) {
        session.start(after: replaceSessions(with: [session]))
    }

    /// Forgets a session that ended by itself.
    func forget(_ session: any RunningReplication) {
        state.withLock { state in
            state.sessions.removeAll { $0 === session }
            state.added.removeAll { $0 === session }
        }
    }

    /// What the other replications of a session's remote ask for.
    func queryHashes(besides session: ReplicationSession) -> Set<UInt64> {
        let others = state.withLock { $0.added + $0.sessions }
        return others.reduce(into: []) { hashes, other in
            guard let other = other as? ReplicationSession, other !== session,
                other.pushQueue === session.pushQueue
            else { return }
            // Two that ask the same see the same.
            // 0 stands for one that has asked nothing, and for items that nobody has shown.
            if other.queryHash != session.queryHash, other.queryHash != 0 {
                hashes.insert(other.queryHash)
            }
        }
    }

    /// The push queue of a remote, which takes part in the database's transactions from now on.
    func pushQueue(for identifier: String, of database: Database) -> PushQueue {
        let (pushQueue, isNew) = state.withLock { state in
            if let pushQueue = state.pushQueues[identifier] { return (pushQueue, false) }
            let pushQueue = PushQueue(identifier: identifier)
            state.pushQueues[identifier] = pushQueue
            return (pushQueue, true)
        }
        // Two that attach at once would both see changes; the checkpoint lets each count once.
        if isNew {
            database.addParticipant(pushQueue)
            database.addSideTableCheck(.replication)
        }
        return pushQueue
    }

    /// Does something after everything that was handed in before, without waiting for it.
    func follow(_ call: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            let previous = state.lastCall
            state.lastCall = Task {
                await previous?.value
                await call()
            }
        }
    }

    /// A new stream of what happens from now on; the oldest events are dropped for a reader that
    /// is 1,000 behind.
    func events() -> AsyncStream<ReplicationEvent> {
        broadcast.stream(.bufferingNewest(1_000))
    }

    /// A new stream of what happens from now on, with the replication that it happens in.
    func newReports() -> AsyncStream<ReplicationReport> {
        reports.stream(.bufferingNewest(1_000))
    }

    /// Tells the streams.
    func publish(_ report: ReplicationReport) {
        broadcast.send(report.event)
        reports.send(report)
    }
}
