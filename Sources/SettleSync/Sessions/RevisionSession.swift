import Logging
import Settle
import SettlePrimitives
import Synchronization

/// A replication by sequences and revisions, from its start to its end.
///
/// The shell around ``ReplicationStateMachine`` and ``PollWaitStateMachine``, as ``ReplicationSession`` is for
/// tables. A cycle pulls, then pushes; the machine sees both as one step.
final class RevisionSession: RunningReplication {
    let database: Database
    let backend: any RevisionBackend
    let center: ReplicationCenter
    let logger: Logger
    let events = Broadcast<ReplicationEvent>()
    let metrics: ReplicationMetrics?
    let pollWait = PollWait()
    let task = SessionTask()

    private let given: ReplicationConfiguration
    private let chosenChannels: Lock<[String]>
    /// Up to where the last pull came, for who listens.
    private let pulledSequence = Lock<JSONValue?>(nil)

    init(
        database: Database, backend: any RevisionBackend, configuration: ReplicationConfiguration,
        center: ReplicationCenter
    ) {
        self.database = database
        self.backend = backend
        self.center = center
        given = configuration
        chosenChannels = Lock(configuration.limitToChannels)
        metrics = configuration.metrics.map {
            ReplicationMetrics(remote: backend.identifier, factory: $0)
        }
        var logger = configuration.logger ?? center.logger
        logger[metadataKey: "remote"] = "\(backend.identifier)"
        self.logger = logger
    }

    var remote: String { backend.identifier }

    var channels: [String] { chosenChannels.withLock { $0 } }

    var configuration: ReplicationConfiguration {
        var configuration = given
        configuration.limitToChannels = channels
        return configuration
    }

    /// What is asked for now.
    var query: RevisionQuery { RevisionQuery(channels: Set(channels)) }

    func setChannels<R>(_ change: (inout [String]) -> R) -> R {
        let (result, isChanged) = chosenChannels.withLock { channels in
            let before = Set(channels)
            let result = change(&channels)
            return (result, before != Set(channels))
        }
        if isChanged { wake() }
        return result
    }

    /// Notes up to where a pull came.
    func notePull(upTo sequence: JSONValue?) {
        pulledSequence.withLock { $0 = sequence }
    }

    func start(after previous: [any RunningReplication]) {
        task.start(isRepeating: given.isRepeating) { [self] in
            for session in previous { await session.end() }
            defer {
                center.forget(self)
                events.finish()
            }
            let sends = given.direction != .serverToClient
            return try await watchingCommits({ sends }) { try await drive() }
        }
    }

    private func drive() async throws -> ReplicationSummary {
        var machine = ReplicationStateMachine(
            policy: .init(
                isRepeating: given.isRepeating, direction: .serverToClient,
                retryLimit: given.retryLimit, pollInterval: given.pollInterval))
        report(.started)
        var cycle = RevisionCycle(session: self)
        var waiting = PollWaiting<Never>(
            machine: PollWaitStateMachine(mayListen: given.direction != .clientToServer))
        var action = machine.start()
        while true {
            if Task.isCancelled { action = machine.stopped() }
            switch action {
            case .push, .endPush:
                preconditionFailure("The two halves of a cycle of revisions are one step.")
            case .pull:
                action = await replicate(&cycle, &machine)
            case .pollWait(let duration):
                metrics?.note(&cycle, .completed)
                report(.completed(cycle.summary))
                let hasReceived = cycle.summary.received > 0
                cycle = RevisionCycle(session: self)
                await pollWait.wait(
                    duration, &waiting, hasReceived: hasReceived, on: given.clock
                ) { _ in await self.listen() }
                action = machine.pollWaitEnded()
            case .retry(let wait, let isReported):
                let error = cycle.failure
                metrics?.note(&cycle, .failed(error.code))
                logger.warning("The replication failed and goes on.", metadata: error.metadata)
                if isReported { report(.failed(error)) }
                cycle = RevisionCycle(session: self, continuing: cycle)
                await PollWait().wait(wait, on: given.clock)
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

    private func replicate(
        _ cycle: inout RevisionCycle, _ machine: inout ReplicationStateMachine
    ) async -> ReplicationStateMachine.Action {
        do {
            try await cycle.begin()
            if given.direction != .clientToServer {
                try await traced("settle.pull", &cycle) {
                    try await $0.pull()
                    return nil
                }
                try await cycle.resolve()
            }
            if given.direction != .serverToClient {
                try await traced("settle.push", &cycle) {
                    try await $0.push()
                    return nil
                }
            }
            return machine.pulled(random: given.random())
        } catch {
            if Task.isCancelled { return machine.stopped() }
            let error = ReplicationError(unexpected: error)
            cycle.error = error
            if cycle.takeProgress() { machine.progressed() }
            if error.code == .localFailure { return machine.brokenOff() }
            return machine.failed(.init(error), random: given.random())
        }
    }

    /// Waits for one answer to who listens.
    private func listen() async -> Heard<Never> {
        do throws(ReplicationError) {
            let sequence = pulledSequence.withLock { $0 }
            let begun = given.clock.now()
            if try await backend.awaitChange(query, after: sequence) { return Heard(.change, nil) }
            let isTooSoon = begun() < SyncTuning.listeningDurationMin
            return Heard(isTooSoon ? .failure : .nothing, nil)
        } catch {
            if !Task.isCancelled {
                logger.debug(
                    "The remote cannot be listened to; it is tried again after a pause.",
                    metadata: error.metadata)
            }
            return Heard(.failure, nil, retryAfter: error.retryAfter)
        }
    }
}

extension Clock<Duration> {
    /// A closure that says how long ago this was called.
    fileprivate func now() -> () -> Duration {
        let begun: Instant = now
        return { begun.duration(to: now) }
    }
}
