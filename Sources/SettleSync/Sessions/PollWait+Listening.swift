/// What the poll waits of a replication keep between them.
struct PollWaiting<Place: Sendable>: Sendable {
    var machine: PollWaitStateMachine
    /// What was listened to last, and up to where.
    var place: Place?
}

/// What came of listening once.
struct Heard<Place: Sendable>: Sendable {
    let result: PollWaitStateMachine.ListenResult
    /// What was listened to, and up to where.
    let place: Place?
    /// How long the remote is throttling.
    let retryAfter: Duration?

    init(
        _ result: PollWaitStateMachine.ListenResult, _ place: Place?, retryAfter: Duration? = nil
    ) {
        self.result = result
        self.place = place
        self.retryAfter = retryAfter
    }
}

/// What a task of a poll wait reports.
private enum PollWaitReport<Place: Sendable>: Sendable {
    case passed
    case interrupted
    case heard(Heard<Place>)
    case busyEnded
    case pauseEnded
}

extension PollWait {
    /// Waits until something wakes the replication, the remote says that something changed, or it
    /// is time to ask; and for as long as the remote is throttling.
    ///
    /// - Parameters:
    ///   - interval: How long, where nobody listens.
    ///   - waiting: What the poll waits keep.
    ///   - hasReceived: Whether the cycle before fetched anything.
    ///   - clock: What the waits are measured with.
    ///   - listen: Listens once, from where it was listened to last.
    func wait<Place: Sendable>(
        _ interval: Duration, _ waiting: inout PollWaiting<Place>, hasReceived: Bool,
        on clock: any Clock<Duration>,
        listening listen: @escaping @Sendable (Place?) async -> Heard<Place>
    ) async {
        waiting = await withTaskGroup(of: PollWaitReport<Place>.self) { [waiting] group in
            var waiting = waiting
            func wait() {
                group.addTask {
                    await self.wait(interval, on: clock) ? .interrupted : .passed
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
                        .heard(await listen(place))
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
                case .heard(let heard)?:
                    waiting.place = heard.place
                    action = waiting.machine.heard(heard.result)
                    pauseMin = heard.retryAfter ?? .zero
                    if let retryAfter = heard.retryAfter {
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
}
