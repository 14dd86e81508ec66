import Logging
import Settle
import SettlePrimitives
import Synchronization

/// A replication by sequences and revisions, from its start to its end, as ``ReplicationSession`` is one by a queue.
///
/// A cycle pulls, then pushes; the state machine sees both as one step.
final class RevisionSession: CyclingReplication {
    let database: Database
    let backend: any RevisionBackend
    let center: ReplicationCenter
    let logger: Logger
    let metrics: ReplicationMetrics?
    let given: ReplicationConfiguration
    let chosenChannels: ChosenChannels
    let events = Broadcast<ReplicationEvent>()
    let pollWait = PollWait()
    let retryWait = PollWait()
    let task = SessionTask()

    /// Whether what is refused or held back was offered again since the start.
    let hasOfferedAgain = Atomic(false)
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
        chosenChannels = ChosenChannels(configuration.limitToChannels)
        metrics = ReplicationMetrics(of: backend.identifier, configuration)
        logger = center.logger(of: backend.identifier, configuration)
    }

    var remote: String { backend.identifier }

    var steps: ReplicationDirection { .serverToClient }

    /// What is asked for now.
    var query: RevisionQuery { RevisionQuery(channels: Set(channels)) }

    /// Notes up to where a pull came.
    func notePull(upTo sequence: JSONValue?) {
        pulledSequence.withLock { $0 = sequence }
    }

    func replicate() async throws -> ReplicationSummary {
        let sends = given.direction != .serverToClient
        return try await watchingCommits({ sends }) { try await drive() }
    }

    func perform(
        _ step: ReplicationStateMachine.Action, _ cycle: inout RevisionCycle,
        _ machine: inout ReplicationStateMachine
    ) async throws -> ReplicationStateMachine.Action {
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
    }

    func listen(since place: Never?) async -> Heard<Never> {
        do throws(ReplicationError) {
            let sequence = pulledSequence.withLock { $0 }
            let begun = given.clock.now()
            if try await backend.awaitChange(query, after: sequence) { return Heard(.change, nil) }
            let isTooSoon = begun() < SyncTuning.listeningDurationMin
            return Heard(isTooSoon ? .failure : .nothing, nil)
        } catch {
            return deaf(error, since: nil)
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
