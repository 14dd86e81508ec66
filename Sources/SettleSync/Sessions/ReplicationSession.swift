import Settle
import SettlePrimitives
import Synchronization
import Logging

/// One replication by a push queue and bases, from its start to its end.
///
/// This is the shell: it carries out what ``ReplicationStateMachine``, ``PushStateMachine`` and
/// ``PollWaitStateMachine`` decide, and owns clock, back-end and database. What the cycle counts is only touched by the
/// session's own task.
final class ReplicationSession: CyclingReplication {
    let database: Database
    let backend: any Backend
    let pushQueue: PushQueue
    let center: ReplicationCenter
    let logger: Logger
    let metrics: ReplicationMetrics?
    let given: ReplicationConfiguration
    let chosenChannels: ChosenChannels
    let events = Broadcast<ReplicationEvent>()
    let pollWait = PollWait()
    let retryWait = PollWait()
    let task = SessionTask()

    /// Whether everything was listed since the start.
    let hasReconciled = Atomic(false)
    /// Whether documents were sought whose attachments may not have been sent, with nothing to send.
    let hasSoughtUndescribed = Atomic(false)
    /// What keeps the operations of several remotes in order; nil when nothing does.
    let order: CommitOrder?

    private let hashOfQuery = Atomic<UInt64>(0)

    init(
        database: Database, backend: any Backend, configuration: ReplicationConfiguration,
        pushQueue: PushQueue, center: ReplicationCenter, order: CommitOrder? = nil
    ) {
        self.order = order
        self.database = database
        self.backend = backend
        given = configuration
        self.pushQueue = pushQueue
        self.center = center
        chosenChannels = ChosenChannels(configuration.limitToChannels)
        metrics = ReplicationMetrics(of: pushQueue.identifier, configuration)
        logger = center.logger(of: pushQueue.identifier, configuration)
    }

    var remote: String { pushQueue.identifier }

    var steps: ReplicationDirection { given.direction }

    /// The hash of the query that runs, or ran last; 0 before the first.
    var queryHash: UInt64 {
        get { hashOfQuery.load(ordering: .relaxed) }
        set { hashOfQuery.store(newValue, ordering: .relaxed) }
    }

    func replicate() async throws -> ReplicationSummary {
        do {
            let summary = try await watchingCommits({ self.hasNews }) { try await drive() }
            order?.ended(pushQueue.identifier, isFailure: false)
            return summary
        } catch {
            order?.ended(pushQueue.identifier, isFailure: true)
            throw error
        }
    }

    /// Whether a change made here may be the remote's business.
    private var hasNews: Bool {
        if configuration.scope == .all { return true }
        let hasNews = try? pushQueue.read(database) { _, tables in
            try tables.firstQueuedOrder() != nil || !tables.blockedIds().isEmpty
        }
        // The cycle finds out why it cannot be read.
        return hasNews ?? true
    }

    /// Reads what no push queue has seen, and puts back what waits beside the queue.
    func prepare() async throws {
        try await pushQueue.catchUp(database)
        try await pushQueue.requeue(database, requeuedStatuses)
    }

    /// What waits beside the queue gets another chance when a replication starts; a handler that
    /// leaves every conflict need not see them again.
    private var requeuedStatuses: Set<PendingChange.Status> {
        guard configuration.direction != .serverToClient else { return [] }
        return configuration.conflictHandler.isPassive
            ? [.withheld, .rejected] : [.withheld, .rejected, .conflict]
    }

    func perform(
        _ step: ReplicationStateMachine.Action, _ cycle: inout ReplicationCycle,
        _ machine: inout ReplicationStateMachine
    ) async throws -> ReplicationStateMachine.Action {
        switch step {
        case .push:
            let failure = try await traced("settle.push", &cycle) { try await $0.push() }
            if cycle.takeProgress() { machine.progressed() }
            return machine.pushed(failure.map { ReplicationStateMachine.Failure($0) })
        case .endPush:
            // Whether the remote is there at all, only its other answers tell.
            if cycle.hasAnswer { try await cycle.countFailures() }
        default:
            try await pull(&cycle)
            if cycle.takeProgress() { machine.progressed() }
        }
        return machine.pulled(random: configuration.random())
    }

    private func pull(_ cycle: inout ReplicationCycle) async throws {
        try await traced("settle.pull", &cycle) {
            try await $0.pull()
            return nil
        }
        try await cycle.countFailures()
        if configuration.isBidirectional {
            cycle.queuedCount += try await cycle.queueUndescribed(isPulled: true)
        }
        if cycle.queuedCount > 0, configuration.isBidirectional {
            // A page showed what documents have and the remote has not.
            cycle.queuedCount = 0
            let failure = try await traced("settle.push", &cycle) { try await $0.push() }
            if let failure { throw failure }
        }
    }
}
