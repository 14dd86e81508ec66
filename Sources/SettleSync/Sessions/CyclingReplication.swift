import Logging
import Settle
import SettlePrimitives

/// One cycle of a replication.
protocol ReplicatingCycle: CountedCycle {
    associatedtype Session

    /// Why the cycle did not complete.
    var error: ReplicationError? { get set }

    init(session: Session)

    /// A cycle that tries again what `before` did not complete.
    init(session: Session, continuing before: Self)

    /// Whether anything got through since this was last asked.
    mutating func takeProgress() -> Bool
}

extension ReplicatingCycle {
    /// The error; there is one when this is asked.
    var failure: ReplicationError {
        error ?? ReplicationError(.localFailure, "The replication ended without saying why.")
    }
}

/// A replication that goes on cycle by cycle, whatever it replicates by.
///
/// The shell around ``ReplicationStateMachine`` and ``PollWaitStateMachine``: it carries out what they decide.
protocol CyclingReplication: RunningReplication {
    associatedtype Cycle: ReplicatingCycle where Cycle.Session == Self
    associatedtype Place: Sendable

    var logger: Logger { get }
    var metrics: ReplicationMetrics? { get }
    /// Which steps a cycle has for the state machine.
    var steps: ReplicationDirection { get }

    /// Gets ready for the first cycle.
    func prepare() async throws

    /// Carries out a step of a cycle: push, pull, or the end of a push.
    ///
    /// - Returns: What comes next.
    /// - Throws: Why the step failed.
    func perform(
        _ step: ReplicationStateMachine.Action, _ cycle: inout Cycle,
        _ machine: inout ReplicationStateMachine
    ) async throws -> ReplicationStateMachine.Action

    /// Waits for one answer to who listens, from where it was listened to last.
    func listen(since place: Place?) async -> Heard<Place>
}

extension CyclingReplication {
    func prepare() async throws {}

    /// Replicates, from the first cycle to the end.
    ///
    /// - Returns: What the last cycle did.
    /// - Throws: ``ReplicationError`` when it failed; `CancellationError` when it was stopped.
    func drive() async throws -> ReplicationSummary {
        let given = configuration
        var machine = ReplicationStateMachine(
            policy: .init(
                isRepeating: given.isRepeating, direction: steps, retryLimit: given.retryLimit,
                pollInterval: given.pollInterval))
        report(.started)
        var cycle = Cycle(session: self)
        var waiting = PollWaiting<Place>(
            machine: PollWaitStateMachine(mayListen: given.direction != .clientToServer))
        var action: ReplicationStateMachine.Action
        do {
            try await prepare()
            action = machine.start()
        } catch {
            cycle.error = ReplicationError(unexpected: error)
            action = Task.isCancelled ? machine.stopped() : machine.brokenOff()
        }
        while true {
            if Task.isCancelled { action = machine.stopped() }
            switch action {
            case .push, .pull, .endPush:
                do {
                    action = try await perform(action, &cycle, &machine)
                } catch {
                    action = fail(error, &cycle, &machine)
                }
            case .pollWait(let duration):
                metrics?.note(&cycle, .completed)
                report(.completed(cycle.summary))
                let hasReceived = cycle.summary.received > 0
                cycle = Cycle(session: self)
                await pollWait.wait(
                    duration, &waiting, hasReceived: hasReceived, on: given.clock
                ) { await self.listen(since: $0) }
                // Who asked for a cycle until now has it.
                retryWait.forget()
                action = machine.pollWaitEnded()
            case .retry(let wait, let isReported):
                let error = cycle.failure
                metrics?.note(&cycle, .failed(error.code))
                logger.warning("The replication failed and goes on.", metadata: error.metadata)
                if isReported { report(.failed(error)) }
                cycle = Cycle(session: self, continuing: cycle)
                // The cycle that begins then has what a poll wait was to be ended for.
                if await retryWait.wait(wait, on: given.clock) { pollWait.forget() }
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

    private func fail(
        _ thrown: any Error, _ cycle: inout Cycle, _ machine: inout ReplicationStateMachine
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

    /// What listening came to that failed.
    func deaf(_ error: ReplicationError, since place: Place?) -> Heard<Place> {
        if !Task.isCancelled {
            logger.debug(
                "The remote cannot be listened to; it is tried again after a pause.",
                metadata: error.metadata)
        }
        return Heard(.failure, place, retryAfter: error.retryAfter)
    }
}

extension ReplicationStateMachine.Failure {
    init(_ error: ReplicationError) {
        self.init(isRetryable: error.isRetryable, retryAfter: error.retryAfter)
    }
}

extension ReplicationError {
    /// An error of the database, or one of our own.
    package init(unexpected error: any Error) {
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
