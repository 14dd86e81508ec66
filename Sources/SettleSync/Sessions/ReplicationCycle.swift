import Settle

/// What one cycle did so far.
struct ReplicationCycle: ReplicatingCycle {
    let session: ReplicationSession
    var summary = ReplicationSummary()
    /// What of the summary the metrics have.
    var counted = ReplicationSummary()
    /// Why the cycle did not complete.
    var error: ReplicationError?

    /// Documents that this push leaves alone from now on.
    var skippedIds: Set<String> = []
    /// Documents whose items were looked up for the attachments that they have.
    var lookedUpIds: Set<String> = []
    /// How often each document was in conflict.
    var conflictCounts: [String: Int] = [:]
    /// What the remote said when it failed on one document.
    var serverFailures: [String: RemoteRejection] = [:]
    /// Whether the remote answered to any operation of this cycle.
    var hasAnswer = false
    /// Whether items carry attachments; nil until the back-end was asked, once a cycle, so that all
    /// of it goes by one answer.
    private(set) var knownAttachments: Bool?
    /// Documents that a page showed to have attachments to be sent.
    var queuedCount = 0
    /// Pages that brought the pull on, since the first try of a one-shot replication.
    var advanceCount = 0
    private var progressCountBefore = 0

    init(session: ReplicationSession) {
        self.session = session
    }

    /// A cycle that tries again what `before` did not complete.
    init(session: ReplicationSession, continuing before: ReplicationCycle) {
        self.init(session: session)
        // One report for all the tries of a one-shot replication.
        if !session.configuration.isRepeating {
            summary = before.summary
            counted = before.counted
            advanceCount = before.advanceCount
        }
        progressCountBefore = progressCount
    }

    /// Whether items carry attachments, as the back-end knows by now.
    mutating func carriesAttachments() -> Bool {
        let carries = knownAttachments ?? session.backend.carriesAttachments
        knownAttachments = carries
        return carries
    }

    private var progressCount: Int { summary.pushed + advanceCount }

    /// Whether anything got through since this was last asked.
    mutating func takeProgress() -> Bool {
        defer { progressCountBefore = progressCount }
        return progressCount > progressCountBefore
    }

    /// Sets aside the operations on which the remote fails while it answers everything else.
    mutating func countFailures() async throws {
        let setAside = try await session.pushQueue.countFailures(
            session.database, of: serverFailures, keepingPlaces: session.order != nil)
        if !setAside.isEmpty { session.order?.progressed() }
        summary.rejected += setAside.count
        for (id, reason) in setAside {
            session.report(.rejected(documentId: id, reason: reason))
        }
        serverFailures = [:]
    }
}
