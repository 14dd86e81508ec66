import Settle

/// What was listened to last, and up to where.
struct ListeningPlace: Sendable {
    let query: PullQuery
    let cursor: String
}

extension ReplicationSession {
    /// Waits for one answer to who listens.
    func listen(since place: ListeningPlace?) async -> Heard<ListeningPlace> {
        do {
            let query = try await query(of: channels)
            let token = try pushQueue.read(database) { _, tables in
                try tables.checkpoint(of: query).token
            }
            // A cursor says nothing about another query.
            let known = place.flatMap { $0.query == query ? $0 : nil }
            var answer: LiveChange?
            let duration = try await given.clock.measure {
                answer = try await backend.awaitChange(
                    query, after: token, since: known?.cursor)
            }
            guard let answer else { return Heard(.unavailable, known) }
            let isTooSoon = !answer.isChanged && duration < SyncTuning.listeningDurationMin
            return Heard(
                answer.isChanged ? .change : isTooSoon ? .failure : .nothing,
                ListeningPlace(query: query, cursor: answer.cursor))
        } catch {
            return deaf(ReplicationError(unexpected: error), since: place)
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
