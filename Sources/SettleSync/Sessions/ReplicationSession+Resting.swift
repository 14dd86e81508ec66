import Logging
import Settle

/// What the rests of a replication keep between them.
struct Resting: Sendable {
    var machine: RestStateMachine
    /// What was listened to last, and up to where.
    var place: (query: PullQuery, cursor: String)?
}

/// What a task of a rest reports.
private enum RestReport: Sendable {
    case passed
    case interrupted
    case heard(
        RestStateMachine.Heard, (query: PullQuery, cursor: String)?, retryAfter: Duration? = nil)
    case pauseOver
}

extension ReplicationSession {
    /// Rests until something wakes the replication, the remote says that something changed, or it
    /// is time to ask; and for as long as the remote wants to be left alone.
    ///
    /// - Parameters:
    ///   - interval: How long, where nobody listens.
    ///   - resting: What the rests keep.
    ///   - hasReceived: Whether the cycle before fetched anything.
    func rest(
        for interval: Duration, _ resting: inout Resting, hasReceived: Bool
    ) async {
        let (rest, clock) = (rest, configuration.clock)
        resting = await withTaskGroup(of: RestReport.self) { [resting] group in
            var resting = resting
            func wait() {
                group.addTask {
                    await rest.wait(interval, on: clock) ? .interrupted : .passed
                }
            }
            wait()
            var action = resting.machine.began(hasReceived: hasReceived)
            var (isPaused, hasEnded) = (false, false)
            while true {
                switch action {
                case .listen:
                    group.addTask { [place = resting.place] in
                        await self.listen(since: place, on: clock)
                    }
                case .wait: wait()
                case .goOn: break
                case .end:
                    hasEnded = true
                    if !isPaused || Task.isCancelled {
                        group.cancelAll()
                        return resting
                    }
                }
                switch await group.next() {
                case .passed?:
                    action =
                        Task.isCancelled
                        ? resting.machine.interrupted() : resting.machine.passed()
                case .interrupted?, nil:
                    action = resting.machine.interrupted()
                case .heard(let heard, let place, let retryAfter)?:
                    resting.place = place
                    action = resting.machine.heard(heard)
                    if let retryAfter {
                        isPaused = true
                        group.addTask {
                            await Rest().wait(retryAfter, on: clock)
                            return .pauseOver
                        }
                    }
                case .pauseOver?:
                    isPaused = false
                    action = hasEnded ? .end : .goOn
                }
            }
        }
    }

    /// Waits for one answer to who listens.
    private func listen(
        since place: (query: PullQuery, cursor: String)?, on clock: any Clock<Duration>
    ) async -> RestReport {
        do {
            let query = try await query(of: channels)
            let token = try outbox.read(database) { _, tables in
                try tables.checkpoint(of: query).token
            }
            // A cursor says nothing about another query.
            let known = place.flatMap { $0.query == query ? $0 : nil }
            var answer: LiveChange?
            let duration = try await clock.measure {
                answer = try await backend.awaitChange(
                    query, after: token, since: known?.cursor)
            }
            guard let answer else { return .heard(.failure, known) }
            let isTooSoon = !answer.isChanged && duration < SyncTuning.listeningDurationMin
            return .heard(
                answer.isChanged ? .change : isTooSoon ? .failure : .nothing,
                (query, answer.cursor))
        } catch {
            if Task.isCancelled { return .heard(.failure, place) }
            let error = ReplicationError(unexpected: error)
            logger.debug(
                "The remote cannot be listened to; it is asked every interval.",
                metadata: error.metadata)
            return .heard(.failure, place, retryAfter: error.retryAfter)
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
