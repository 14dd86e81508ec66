import SettlePrimitives

extension LogKeeper {
    func startThread() {
        let isNeeded = work.withLock { work in
            defer { work.isRunning = true }
            return !work.isRunning
        }
        guard isNeeded else { return }
        thread = DedicatedThread(name: "settle.log") { [self] in runThread() }
    }

    private enum Step {
        case stop
        case checkpoint(LogWork.Checkpoint)
        case flush
        case idle
        case lookAgain
    }

    private func runThread() {
        while true {
            switch nextStep() {
            case nil, .lookAgain: continue
            case .stop: return
            case .checkpoint(let task):
                do throws(LMDBError) {
                    try finish(task)
                } catch {
                    poison(error)
                    giveUp(task)
                }
                work.withLock { $0.checkpoint = nil }
            case .flush: try? flush()
            case .idle:
                let body = whenIdle.withLock { $0 }
                body?()
                // Whatever came of it: not again at once.
                work.withLock(waking: .none) { $0.lastCommit = .now }
            }
        }
    }

    private func giveUp(_ task: LogWork.Checkpoint) {
        task.pin.reset()
        work.withLock { $0.spare = task.pin }
    }

    /// Waits for something to do; nil when a while is over.
    private func nextStep() -> Step? {
        let deadline = work.withLock { due($0)?.time } ?? .now + .seconds(3_600)
        let seconds = max(0, (deadline - .now) / .seconds(1))
        return work.when(withinSeconds: seconds) { work -> Step? in
            if let task = work.checkpoint {
                if work.failure == nil { return .checkpoint(task) }
                // Nothing is written any more.
                task.pin.reset()
                work.spare = task.pin
                work.checkpoint = nil
                return .lookAgain
            }
            if work.isStopping { return .stop }
            guard let due = due(work) else { return nil }
            if due.time <= .now { return due.step }
            return due.time < deadline ? .lookAgain : nil
        }
    }

    /// What the time brings next.
    private func due(_ work: LogWork) -> (time: ContinuousClock.Instant, step: Step)? {
        guard work.session != 0, work.failure == nil else { return nil }
        let idle = work.lastCommit + .seconds(options.logTuning.idleSeconds)
        guard let since = work.unflushedSince else { return (idle, .idle) }
        let flush = since + .seconds(options.relaxedSecondsMax)
        return flush <= idle ? (flush, .flush) : (idle, .idle)
    }
}
