import Logging
import Settle

/// What was listened to last, and up to where.
struct ListeningPlace: Sendable {
    let query: PullQuery
    let cursor: String
}

extension ReplicationSession {
    /// Waits until something wakes the replication, the remote says that something changed, or it
    /// is time to ask; and for as long as the remote is throttling.
    ///
    /// - Parameters:
    ///   - interval: How long, where nobody listens.
    ///   - waiting: What the poll waits keep.
    ///   - hasReceived: Whether the cycle before fetched anything.
    func waitForPoll(
        for interval: Duration, _ waiting: inout PollWaiting<ListeningPlace>, hasReceived: Bool
    ) async {
        let clock = configuration.clock
        await pollWait.wait(
            interval, &waiting, hasReceived: hasReceived, on: clock
        ) { place in await self.listen(since: place, on: clock) }
    }

    /// Waits for one answer to who listens.
    private func listen(
        since place: ListeningPlace?, on clock: any Clock<Duration>
    ) async -> Heard<ListeningPlace> {
        do {
            let query = try await query(of: channels)
            let token = try pushQueue.read(database) { _, tables in
                try tables.checkpoint(of: query).token
            }
            // A cursor says nothing about another query.
            let known = place.flatMap { $0.query == query ? $0 : nil }
            var answer: LiveChange?
            let duration = try await clock.measure {
                answer = try await backend.awaitChange(
                    query, after: token, since: known?.cursor)
            }
            guard let answer else { return Heard(.unavailable, known) }
            let isTooSoon = !answer.isChanged && duration < SyncTuning.listeningDurationMin
            return Heard(
                answer.isChanged ? .change : isTooSoon ? .failure : .nothing,
                ListeningPlace(query: query, cursor: answer.cursor))
        } catch {
            if Task.isCancelled { return Heard(.failure, place) }
            let error = ReplicationError(unexpected: error)
            logger.debug(
                "The remote cannot be listened to; it is tried again after a pause.",
                metadata: error.metadata)
            return Heard(.failure, place, retryAfter: error.retryAfter)
        }
    }

    /// What is asked for with certain channels.
    ///
    /// - Throws: ``ReplicationError`` when no credentials can be had.
    func query(of channels: [String]) async throws(ReplicationError) -> PullQuery {
        PullQuery(
            channels: Set(channels), scope: try await backend.scope(), filter: backend.filter,
            queryId: configuration.queryId)
    }
}
