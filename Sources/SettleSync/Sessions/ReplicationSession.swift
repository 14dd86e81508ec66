import Logging
import Settle
import SettlePrimitives
import Synchronization

/// One replication, from its start to its end.
///
/// This is the shell: it carries out what ``ReplicationStateMachine``, ``PushStateMachine`` and
/// ``PollWaitStateMachine`` decide, and owns clock, back-end and database. `state` is guarded by its
/// lock; what the cycle counts is only touched by the session's own task.
final class ReplicationSession: RunningReplication {
    let database: Database
    let backend: any Backend
    let pushQueue: PushQueue
    let center: ReplicationCenter
    let logger: Logger

    /// What happens, for those who follow this replication alone.
    let events = Broadcast<ReplicationEvent>()
    /// Whether everything was listed since the start.
    let hasReconciled = Atomic(false)
    /// Whether documents were sought whose attachments may not have been sent, with nothing to send.
    let hasSoughtUndescribed = Atomic(false)
    let metrics: ReplicationMetrics?
    /// What keeps the operations of several remotes in order; nil when nothing does.
    let order: CommitOrder?

    private let given: ReplicationConfiguration
    private let scope = Lock(Scope())
    let pollWait = PollWait()
    let task = SessionTask()

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
        scope.withLock { $0.channels = configuration.limitToChannels }
        metrics = configuration.metrics.map {
            ReplicationMetrics(remote: pushQueue.identifier, factory: $0)
        }
        var logger = configuration.logger ?? center.logger
        logger[metadataKey: "remote"] = "\(pushQueue.identifier)"
        self.logger = logger
    }

    /// What is asked for.
    private struct Scope {
        var channels: [String] = []
        /// The hash of the query that runs, or ran last; 0 before the first.
        var queryHash: UInt64 = 0
    }

    /// The configuration with the channels as they are now.
    var configuration: ReplicationConfiguration {
        var configuration = given
        configuration.limitToChannels = channels
        return configuration
    }

    var channels: [String] { scope.withLock { $0.channels } }

    /// The hash of the query that runs, or ran last; 0 before the first.
    var queryHash: UInt64 {
        get { scope.withLock { $0.queryHash } }
        set { scope.withLock { $0.queryHash = newValue } }
    }

    /// Changes the channels, and begins the next cycle at once if that changed anything.
    func setChannels<R>(_ change: (inout [String]) -> R) -> R {
        let (result, isChanged) = scope.withLock { scope in
            let before = scope.channels
            let result = change(&scope.channels)
            return (result, Set(before) != Set(scope.channels))
        }
        if isChanged { wake() }
        return result
    }

    var remote: String { pushQueue.identifier }

    /// Begins, after the sessions before have ended.
    func start(after previous: [any RunningReplication]) {
        task.start(isRepeating: given.isRepeating) { [self] in try await run(after: previous) }
    }

    private func run(
        after previous: [any RunningReplication]
    ) async throws -> ReplicationSummary {
        for session in previous { await session.end() }
        defer {
            center.forget(self)
            events.finish()
        }
        do {
            let summary = try await run()
            order?.ended(pushQueue.identifier, isFailure: false)
            return summary
        } catch {
            order?.ended(pushQueue.identifier, isFailure: true)
            throw error
        }
    }

    private func run() async throws -> ReplicationSummary {
        try await watchingCommits({ self.hasNews }) { try await drive() }
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

    private func drive() async throws -> ReplicationSummary {
        var machine = ReplicationStateMachine(
            policy: .init(
                isRepeating: configuration.isRepeating,
                direction: configuration.direction, retryLimit: configuration.retryLimit,
                pollInterval: configuration.pollInterval))
        report(.started)
        var cycle = ReplicationCycle(session: self)
        var waiting = PollWaiting<ListeningPlace>(
            machine: PollWaitStateMachine(mayListen: configuration.direction != .clientToServer))
        var action: ReplicationStateMachine.Action
        do {
            try await pushQueue.catchUp(database)
            try await pushQueue.requeue(database, requeuedStatuses)
            action = machine.start()
        } catch {
            cycle.error = ReplicationError(unexpected: error)
            action = Task.isCancelled ? machine.stopped() : machine.brokenOff()
        }
        while true {
            if Task.isCancelled { action = machine.stopped() }
            switch action {
            case .push:
                action = await push(&cycle, &machine)
            case .pull:
                action = await pull(&cycle, &machine)
            case .endPush:
                action = await endPush(&cycle, &machine)
            case .pollWait(let duration):
                metrics?.note(&cycle, .completed)
                report(.completed(cycle.summary))
                let hasReceived = cycle.summary.received > 0
                cycle = ReplicationCycle(session: self)
                await waitForPoll(for: duration, &waiting, hasReceived: hasReceived)
                action = machine.pollWaitEnded()
            case .retry(let wait, let isReported):
                let error = cycle.failure
                metrics?.note(&cycle, .failed(error.code))
                logger.warning("The replication failed and goes on.", metadata: error.metadata)
                if isReported { report(.failed(error)) }
                cycle = ReplicationCycle(session: self, continuing: cycle)
                await PollWait().wait(wait, on: configuration.clock)
                action = machine.waited()
            case .complete:
                metrics?.note(&cycle, .completed)
                reportEnd(.completed(cycle.summary))
                return cycle.summary
            case .fail:
                metrics?.note(&cycle, .failed(cycle.failure.code))
                logger.error("The replication failed.", metadata: cycle.failure.metadata)
                reportEnd(.failed(cycle.failure))
                throw cycle.failure
            case .stop:
                metrics?.note(&cycle, .stopped)
                reportEnd(.stopped)
                throw CancellationError()
            }
        }
    }

    /// What waits beside the queue gets another chance when a replication starts; a handler that
    /// leaves every conflict need not see them again.
    private var requeuedStatuses: Set<PendingChange.Status> {
        guard configuration.direction != .serverToClient else { return [] }
        return configuration.conflictHandler.isPassive
            ? [.withheld, .rejected] : [.withheld, .rejected, .conflict]
    }

    private func push(
        _ cycle: inout ReplicationCycle, _ machine: inout ReplicationStateMachine
    ) async -> ReplicationStateMachine.Action {
        do {
            let failure = try await traced("settle.push", &cycle) { try await $0.push() }
            if cycle.takeProgress() { machine.progressed() }
            return machine.pushed(failure.map { ReplicationStateMachine.Failure($0) })
        } catch {
            return fail(error, &cycle, &machine)
        }
    }

    private func pull(
        _ cycle: inout ReplicationCycle, _ machine: inout ReplicationStateMachine
    ) async -> ReplicationStateMachine.Action {
        do {
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
            if cycle.takeProgress() { machine.progressed() }
            return machine.pulled(random: configuration.random())
        } catch {
            return fail(error, &cycle, &machine)
        }
    }

    /// Ends a cycle that fetches nothing.
    private func endPush(
        _ cycle: inout ReplicationCycle, _ machine: inout ReplicationStateMachine
    ) async -> ReplicationStateMachine.Action {
        do {
            // Whether the remote is there at all, only its other answers tell.
            if cycle.hasAnswer { try await cycle.countFailures() }
            return machine.pulled(random: configuration.random())
        } catch {
            return fail(error, &cycle, &machine)
        }
    }

    private func fail(
        _ thrown: any Error, _ cycle: inout ReplicationCycle,
        _ machine: inout ReplicationStateMachine
    ) -> ReplicationStateMachine.Action {
        if Task.isCancelled { return machine.stopped() }
        let error = ReplicationError(unexpected: thrown)
        cycle.error = error
        if cycle.takeProgress() { machine.progressed() }
        if error.code == .localFailure || error.code == .stoppedByConflictHandler {
            return machine.brokenOff()
        }
        return machine.failed(.init(error), random: configuration.random())
    }
}

extension ReplicationStateMachine.Failure {
    init(_ error: ReplicationError) {
        self.init(isRetryable: error.isRetryable, retryAfter: error.retryAfter)
    }
}

extension ReplicationError {
    /// An error of the database, or one of our own.
    init(unexpected error: any Error) {
        if let error = error as? ReplicationError {
            self = error
        } else {
            self.init(
                .localFailure,
                "The database could not be read or written, so the replication ended.",
                cause: error)
        }
    }

    var metadata: Logger.Metadata { ["code": "\(code)", "reason": "\(message)"] }
}
