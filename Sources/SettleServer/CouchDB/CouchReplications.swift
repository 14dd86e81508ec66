import Foundation
import Settle
import SettlePrimitives
import Synchronization

/// The replications that `_replicate` began and that have not ended.
final class CouchReplications: Sendable {
    /// A replication, as lists show it.
    struct Job: Sendable {
        let id: String
        let source: String
        let target: String
        /// Who began it; nil for a sender without a name.
        let user: String?
        let isContinuous: Bool
        let begun: Date
        var updated: Date
        var counts = CouchReplicationCounts()

        /// The name by which CouchDB's clients cancel it.
        var name: String {
            isContinuous ? id + CouchReplicationRequest.continuousSuffix : id
        }
    }

    private struct Entry {
        var job: Job
        let credentials: CouchReplicationOrder.Credentials
        var task: Task<CouchReplicationCounts, any Error>
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var isStopped = false
    }

    private let state = Lock(State())
    let replicator: any CouchReplicator
    private let hosts: [CouchHost]
    /// The address of this server, `http(s)://HOST:PORT`, for a replication between two of its databases.
    let address: @Sendable () async throws -> String
    let now: @Sendable () -> Date

    /// How many there may be at once.
    private static let jobsMax = 32

    /// - Parameters:
    ///   - replicator: What replicates.
    ///   - hosts: The hosts that may be replicated with: `name` or `name:port`.
    ///   - address: The address of this server.
    ///   - now: What time it is.
    init(
        _ replicator: any CouchReplicator, hosts: [String],
        address: @escaping @Sendable () async throws -> String,
        now: @escaping @Sendable () -> Date = Date.init
    ) {
        self.replicator = replicator
        self.hosts = hosts.map { CouchHost($0) }
        self.address = address
        self.now = now
    }

    /// Refuses a host that is not allowed.
    ///
    /// - Throws: ``CouchError`` 403.
    func check(_ url: URL) throws(CouchError) {
        let host = CouchHost(url)
        guard hosts.contains(where: { $0.allows(host) }) else {
            throw CouchError(
                403, "forbidden",
                "This server may not replicate with the host '\(host.name)'; whoever runs it allows hosts."
            )
        }
    }

    /// All of them, the oldest first.
    var jobs: [Job] {
        state.withLock { $0.entries.values.map(\.job) }.sorted {
            ($0.begun, $0.id) < ($1.begun, $1.id)
        }
    }

    /// Begins a replication, unless it goes on already.
    ///
    /// - Parameters:
    ///   - job: What it is.
    ///   - database: The database of this server.
    ///   - order: What it replicates with.
    /// - Returns: What ends with it.
    /// - Throws: ``CouchError`` 409 when it goes on with other credentials, 503 when there are enough, or the server
    ///   stops.
    func begin(
        _ job: Job, _ database: Database, _ order: CouchReplicationOrder
    ) throws(CouchError) -> Task<CouchReplicationCounts, any Error> {
        try state.withLock { (state) throws(CouchError) in
            if let known = state.entries[job.id] {
                guard known.credentials == order.credentials else {
                    throw CouchError(
                        409, "conflict",
                        "This replication goes on already with other credentials; cancel it before."
                    )
                }
                return known.task
            }
            guard !state.isStopped, state.entries.count < Self.jobsMax else {
                throw CouchError(
                    503, "service_unavailable",
                    "This server runs as many replications as it may; cancel one.")
            }
            let task = Task { [self] in
                defer { end(job.id) }
                return try await replicator.replicate(database, order) { [self] counts in
                    note(counts, job.id)
                }
            }
            state.entries[job.id] = Entry(
                job: job, credentials: order.credentials, task: task)
            return task
        }
    }

    private func note(_ counts: CouchReplicationCounts, _ id: String) {
        let now = now()
        state.withLock { state in
            state.entries[id]?.job.counts = counts
            state.entries[id]?.job.updated = now
        }
    }

    private func end(_ id: String) {
        _ = state.withLock { $0.entries.removeValue(forKey: id) }
    }

    /// Ends a replication, and waits until nothing of it is left.
    ///
    /// - Returns: What it was; nil when it does not go on.
    func cancel(_ id: String) async -> Job? {
        guard let entry = state.withLock({ $0.entries[id] }) else { return nil }
        entry.task.cancel()
        _ = await entry.task.result
        return entry.job
    }

    /// Ends all of them, and lets no other begin.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.entries.values.map(\.task)
        }
        for task in tasks { task.cancel() }
    }

    /// Ends all of them, and waits until nothing of them is left.
    func stop() async {
        cancelAll()
        for entry in state.withLock({ Array($0.entries.values) }) { _ = await entry.task.result }
    }
}
