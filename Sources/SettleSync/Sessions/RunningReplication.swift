import Settle
import SettlePrimitives
import Synchronization

/// A replication as a database lists it, from its start to its end, whatever it replicates by.
protocol RunningReplication: AnyObject, Sendable {
    /// The remote, as its back-end calls it.
    var remote: String { get }
    /// How it replicates, as it was started.
    var given: ReplicationConfiguration { get }
    /// Only documents in one of these channels are fetched; empty for all that may be seen.
    var chosenChannels: ChosenChannels { get }
    /// What happens, for those who follow this replication alone.
    var events: Broadcast<ReplicationEvent> { get }
    var database: Database { get }
    var center: ReplicationCenter { get }
    var task: SessionTask { get }
    var pollWait: PollWait { get }
    /// The wait for another try after a failure.
    var retryWait: PollWait { get }

    /// Replicates, from the first cycle to the end.
    func replicate() async throws -> ReplicationSummary
}

/// The channels of a replication, which may change while it runs.
final class ChosenChannels: Sendable {
    private let names: Lock<[String]>

    init(_ names: [String]) {
        self.names = Lock(names)
    }

    var all: [String] { names.withLock { $0 } }

    /// Changes them.
    ///
    /// - Returns: What `change` returns, and whether there are others now.
    func change<R>(_ change: (inout [String]) -> R) -> (result: R, isChanged: Bool) {
        names.withLock { names in
            let before = Set(names)
            let result = change(&names)
            return (result, before != Set(names))
        }
    }
}

extension RunningReplication {
    /// Only documents in one of these channels are fetched; empty for all that may be seen.
    var channels: [String] { chosenChannels.all }

    /// How it replicates, with the channels as they are now.
    var configuration: ReplicationConfiguration {
        var configuration = given
        configuration.limitToChannels = channels
        return configuration
    }

    /// Changes the channels, and begins the next cycle at once if that changed anything.
    func setChannels<R>(_ change: (inout [String]) -> R) -> R {
        let (result, isChanged) = chosenChannels.change(change)
        if isChanged { wake() }
        return result
    }

    /// Begins, after those before have ended.
    func start(after previous: [any RunningReplication]) {
        task.start(isRepeating: given.isRepeating) { [self] in
            for session in previous { await session.end() }
            defer {
                center.forget(self)
                events.finish()
            }
            return try await replicate()
        }
    }

    /// Begins the next cycle of a repeating replication at once: ends the wait for the next poll or the next try, or
    /// the one that comes.
    ///
    /// One that does not repeat has so many tries, and waits before each.
    func wake() {
        pollWait.interrupt()
        if given.isRepeating { retryWait.interrupt() }
    }

    /// Asks the session to end.
    func cancel() {
        task.cancel()
    }

    /// Waits until the session has ended.
    func end() async {
        await task.end()
    }

    /// Waits for what the session did.
    ///
    /// - Throws: ``ReplicationError`` when it failed; `CancellationError` when it was stopped or
    ///   replaced.
    func summary() async throws -> ReplicationSummary {
        try await task.summary()
    }

    /// Waits for what the session did, and ends it when the task is cancelled.
    ///
    /// - Throws: As ``summary()``.
    func ending() async throws -> ReplicationSummary {
        try await withTaskCancellationHandler {
            try await summary()
        } onCancel: {
            cancel()
        }
    }

    /// Tells the streams and the status delegate.
    func report(_ event: ReplicationEvent) {
        events.send(event)
        center.report(event, of: configuration, with: remote, in: database)
    }

    /// Tells them that the replication has ended, when the database names it no more.
    func reportEnd(_ event: ReplicationEvent) {
        center.forget(self)
        report(event)
    }

    /// Runs something while a wait for the next poll is cut short by commits of others.
    ///
    /// - Parameters:
    ///   - isNews: Whether a commit with a change of another origin is worth a cycle.
    ///   - drive: What the replication does.
    /// - Returns: What `drive` returns.
    /// - Throws: What `drive` throws.
    func watchingCommits(
        _ isNews: @escaping @Sendable () -> Bool,
        _ drive: () async throws -> ReplicationSummary
    ) async throws -> ReplicationSummary {
        // Taken before the first cycle, so that no change falls in between.
        let commits = configuration.isRepeating ? database.commits : nil
        return try await withThrowingTaskGroup(of: Void.self) { group in
            if let commits {
                group.addTask { [pollWait, remote] in
                    for await commit in commits
                    where commit.changes.contains(where: { $0.origin != remote }) {
                        if isNews() { pollWait.interrupt() }
                    }
                    // The database was closed: the next cycle finds out.
                    pollWait.interrupt()
                }
            }
            defer { group.cancelAll() }
            return try await drive()
        }
    }
}

/// The task of a replication: started once, and waited for by any number.
final class SessionTask: Sendable {
    private let task = Lock<Task<ReplicationSummary, any Error>?>(nil)

    /// Begins.
    ///
    /// - Parameters:
    ///   - isRepeating: Whether it may run for as long as the app does; each part of it is then a trace of its own.
    ///   - body: What to do.
    func start(
        isRepeating: Bool, _ body: @escaping @Sendable () async throws -> ReplicationSummary
    ) {
        task.withLock { task in
            precondition(task == nil, "A replication is started once.")
            let start = { Task { try await body() } }
            task = isRepeating ? TraceSpan.leaving(start) : start()
        }
    }

    func cancel() {
        task.withLock { $0 }?.cancel()
    }

    func end() async {
        _ = await task.withLock { $0 }?.result
    }

    func summary() async throws -> ReplicationSummary {
        guard let task = task.withLock({ $0 }) else {
            preconditionFailure("A replication is waited for after it was started.")
        }
        return try await task.value
    }
}
