import Logging
import Settle

/// What the poll waits of a replication keep between them.
struct PollWaiting: Sendable {
    var machine: PollWaitStateMachine
    /// What was listened to last, and up to where.
    var place: (query: PullQuery, cursor: String)?
}

/// What a task of a poll wait reports.
private enum PollWaitReport: Sendable {
    case passed
    case interrupted
    case heard(
        PollWaitStateMachine.ListenResult, (query: PullQuery, cursor: String)?,
        retryAfter: Duration? = nil)
    case busyEnded
    case pauseEnded
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
        for interval: Duration, _ waiting: inout PollWaiting, hasReceived: Bool
    ) async {
        let (pollWait, clock) = (pollWait, configuration.clock)
        waiting = await withTaskGroup(of: PollWaitReport.self) { [waiting] group in
            var waiting = waiting
            func wait() {
                group.addTask {
                    await pollWait.wait(interval, on: clock) ? .interrupted : .passed
                }
            }
            wait()
            var action = waiting.machine.began(hasReceived: hasReceived)
            var (isBusy, hasEnded) = (false, false)
            var pauseMin = Duration.zero
            while true {
                switch action {
                case .listen:
                    group.addTask { [place = waiting.place] in
                        await self.listen(since: place, on: clock)
                    }
                case .pause(let pause):
                    group.addTask { [pause = max(pause, pauseMin)] in
                        await PollWait().wait(pause, on: clock)
                        return .pauseEnded
                    }
                case .wait: wait()
                case .goOn: break
                case .end:
                    hasEnded = true
                    if !isBusy || Task.isCancelled {
                        group.cancelAll()
                        return waiting
                    }
                }
                switch await group.next() {
                case .passed?:
                    action =
                        Task.isCancelled
                        ? waiting.machine.interrupted() : waiting.machine.passed()
                case .interrupted?, nil:
                    action = waiting.machine.interrupted()
                case .heard(let heard, let place, let retryAfter)?:
                    waiting.place = place
                    action = waiting.machine.heard(heard)
                    pauseMin = retryAfter ?? .zero
                    if let retryAfter {
                        isBusy = true
                        group.addTask {
                            await PollWait().wait(retryAfter, on: clock)
                            return .busyEnded
                        }
                    }
                case .busyEnded?:
                    isBusy = false
                    action = hasEnded ? .end : .goOn
                case .pauseEnded?:
                    action = waiting.machine.pauseEnded()
                }
            }
        }
    }

    /// Waits for one answer to who listens.
    private func listen(
        since place: (query: PullQuery, cursor: String)?, on clock: any Clock<Duration>
    ) async -> PollWaitReport {
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
            guard let answer else { return .heard(.unavailable, known) }
            let isTooSoon = !answer.isChanged && duration < SyncTuning.listeningDurationMin
            return .heard(
                answer.isChanged ? .change : isTooSoon ? .failure : .nothing,
                (query, answer.cursor))
        } catch {
            if Task.isCancelled { return .heard(.failure, place) }
            let error = ReplicationError(unexpected: error)
            logger.debug(
                "The remote cannot be listened to; it is tried again after a pause.",
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
