import Logging
import Settle

/// What one cycle did so far.
struct ReplicationCycle {
    let session: ReplicationSession
    var summary = ReplicationSummary()
    /// Why the cycle did not complete.
    var error: ReplicationError?

    /// Documents that this push leaves alone from now on.
    var skippedIds: Set<String> = []
    /// How often each document was in conflict.
    var conflictCounts: [String: Int] = [:]
    /// What the far side said when it failed on one document.
    var serverFailures: [String: String] = [:]
    private var progressCountBefore = 0

    init(session: ReplicationSession) {
        self.session = session
    }

    /// A cycle that tries again what `before` did not complete.
    init(session: ReplicationSession, continuing before: ReplicationCycle) {
        self.init(session: session)
        // One report for all the tries of a one-shot replication.
        if !session.configuration.isRepeating { summary = before.summary }
        progressCountBefore = progressCount
    }

    /// The error; there is one when this is asked.
    var failure: ReplicationError {
        error ?? ReplicationError(.localFailure, "The replication ended without saying why.")
    }

    private var progressCount: Int { summary.pushed + summary.received }

    /// Whether anything got through since this was last asked.
    mutating func takeProgress() -> Bool {
        defer { progressCountBefore = progressCount }
        return progressCount > progressCountBefore
    }

    /// Sets aside the operations on which the far side fails while it answers everything else.
    mutating func countFailures() async throws {
        let setAside = try await session.outbox.countFailures(
            session.database, of: serverFailures)
        summary.rejected += setAside.count
        for (id, reason) in setAside {
            session.report(.rejected(documentId: id, reason: reason))
        }
        serverFailures = [:]
    }

    // MARK: Pull

    /// Fetches page after page until there is nothing more.
    mutating func pull() async throws {
        let session = self.session
        let query = PullQuery(
            channels: Set(session.configuration.limitToChannels),
            scope: try await session.backend.scope())
        var token = try session.outbox.read(session.database) { _, tables in
            try tables.token(of: query)
        }
        let sizeMax = max(1, session.configuration.pageSize)
        var received = 0
        var total = 0
        var page = try await session.backend.pull(
            query, after: token, itemCountMax: sizeMax, isFirstPage: true)
        var isFirst = true
        while true {
            try Task.checkCancellation()
            if !isFirst, !page.isLast, page.token == token || page.token == nil {
                throw ReplicationError(
                    .protocolViolation,
                    "The far side sent a page that ends where it began, so the pull would never "
                        + "end.")
            }
            // The next page travels while this one is stored.
            let current = page
            async let following = Self.page(
                of: query, after: current, session.backend, itemCountMax: sizeMax)
            if !page.items.isEmpty || page.token != token {
                let application = try await session.outbox.apply(session.database, page, of: query)
                summary.pulled += application.changedCount
                summary.skipped += application.faults.count
                for (id, fault) in application.faults {
                    session.logger.warning(
                        "An item of the far side cannot be a document here and was left out.",
                        metadata: ["item": "\(id)", "reason": "\(fault)"])
                }
            }
            if let remaining = page.itemCountRemaining {
                // The number comes from the far side and may be anything.
                let (sum, overflow) = received.addingReportingOverflow(remaining)
                total = overflow ? received : sum
            }
            received += page.items.count
            summary.received += page.items.count
            total = max(total, received)
            if !page.items.isEmpty { session.report(.receiving(received: received, total: total)) }
            token = page.token ?? token
            isFirst = false
            guard let next = try await following else { return }
            page = next
        }
    }

    private static func page(
        of query: PullQuery, after page: PullPage, _ backend: any Backend, itemCountMax: Int
    ) async throws -> PullPage? {
        if page.isLast { return nil }
        return try await backend.pull(
            query, after: page.token, itemCountMax: itemCountMax, isFirstPage: false)
    }
}
