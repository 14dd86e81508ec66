import Testing

@testable import SettleSync

@Suite(.serialized) struct `PollWait state machine` {
    @Test func `listens to nobody where nothing is fetched`() {
        var machine = PollWaitStateMachine(mayListen: false)
        for _ in 0..<3 {
            #expect(machine.began(hasReceived: false) == .goOn)
            #expect(machine.passed() == .end)
        }
    }

    private typealias Machine = PollWaitStateMachine

    private func machine() -> Machine { Machine(intervalCountMax: 3, fruitlessCountMax: 2) }

    @Test func `lasts one interval where nobody can listen`() {
        var machine = machine()
        for _ in 0..<5 {
            #expect(machine.began(hasReceived: false) == .listen)
            #expect(machine.heard(.unavailable) == .goOn)
            #expect(machine.passed() == .end)
        }
    }

    @Test func `lasts many intervals while it listens, and then asks all the same`() {
        var machine = machine()
        #expect(machine.began(hasReceived: true) == .listen)
        #expect(machine.passed() == .wait)
        #expect(machine.heard(.nothing) == .listen)
        #expect(machine.passed() == .wait)
        #expect(machine.passed() == .end)
    }

    @Test func `ends with a change and with an interruption, at once`() {
        var machine = machine()
        #expect(machine.began(hasReceived: true) == .listen)
        #expect(machine.heard(.change) == .end)
        #expect(machine.began(hasReceived: true) == .listen)
        #expect(machine.interrupted() == .end)
        // What comes in late means nothing.
        #expect(machine.heard(.change) == .goOn)
        #expect(machine.passed() == .goOn)
    }

    @Test func `ends with the interval in which listening failed`() {
        var machine = machine()
        #expect(machine.began(hasReceived: true) == .listen)
        #expect(machine.passed() == .wait)
        #expect(machine.heard(.failure) == .pause(.seconds(1)))
        #expect(machine.passed() == .end)
        // What comes in late means nothing.
        #expect(machine.pauseEnded() == .goOn)
    }

    @Test func `tries again after pauses that double to a minute, until it has heard something`() {
        var machine = machine()
        #expect(machine.began(hasReceived: true) == .listen)
        for seconds in [1, 2, 4, 8, 16, 32, 64, 64, 64] {
            #expect(machine.heard(.failure) == .pause(.seconds(seconds)))
            #expect(machine.pauseEnded() == .listen)
        }
        #expect(machine.heard(.nothing) == .listen)
        #expect(machine.heard(.failure) == .pause(.seconds(1)))
        #expect(machine.interrupted() == .end)
        // Failures are counted beyond the poll wait.
        #expect(machine.began(hasReceived: true) == .listen)
        #expect(machine.heard(.failure) == .pause(.seconds(2)))
        #expect(machine.pauseEnded() == .listen)
        // Nothing was heard since: the interval is kept.
        #expect(machine.passed() == .end)
        // An interval that passed while it listened is as good as an answer.
        #expect(machine.began(hasReceived: true) == .listen)
        #expect(machine.passed() == .wait)
        #expect(machine.heard(.failure) == .pause(.seconds(1)))
        #expect(machine.interrupted() == .end)
    }

    @Test func `listens after a pause only when changes are announced that no pull shows`() {
        var machine = machine()
        #expect(machine.began(hasReceived: false) == .listen)
        #expect(machine.heard(.change) == .end)
        #expect(machine.began(hasReceived: false) == .listen)
        for seconds in [1, 2, 4] {
            #expect(machine.heard(.change) == .end)
            #expect(machine.began(hasReceived: false) == .pause(.seconds(seconds)))
            #expect(machine.pauseEnded() == .listen)
        }
        #expect(machine.heard(.change) == .end)
        #expect(machine.began(hasReceived: true) == .listen)
    }

    /// Every sequence of reports, to a length that meets every state: a poll wait always ends, nothing is
    /// listened to twice at a time, and after a failure not again before a pause.
    @Test func `keeps its promises whatever is reported`() {
        enum Report: CaseIterable {
            case change, nothing, unavailable, failure, passed, interrupted, pauseEnded
        }
        enum State { case listening, pausing, alone }
        let length = 6
        var codes = 1
        for _ in 0..<length { codes *= Report.allCases.count }
        for code in 0..<codes {
            var machine = machine()
            var state = machine.began(hasReceived: true) == .listen ? State.listening : .alone
            var passedCount = 0
            var isWaiting = true
            var hasFailed = false
            var rest = code
            var reports: [Report] = []
            for _ in 0..<length {
                let report = Report.allCases[rest % Report.allCases.count]
                rest /= Report.allCases.count
                reports.append(report)
                let action: PollWaitStateMachine.Action
                // A shell reports only what it was asked for.
                switch report {
                case .change where state == .listening: action = machine.heard(.change)
                case .nothing where state == .listening: action = machine.heard(.nothing)
                case .unavailable where state == .listening: action = machine.heard(.unavailable)
                case .failure where state == .listening: action = machine.heard(.failure)
                case .pauseEnded where state == .pausing: action = machine.pauseEnded()
                case .passed: action = machine.passed()
                case .interrupted: action = machine.interrupted()
                default: continue
                }
                if report == .passed { passedCount += 1 }
                let mustEnd =
                    report == .change || report == .interrupted
                    || report == .passed && (state != .listening || hasFailed || passedCount >= 3)
                #expect((action == .end) == mustEnd, "\(reports)")
                if action == .end {
                    isWaiting = false
                    break
                }
                if report == .nothing || report == .failure { hasFailed = report == .failure }
                switch report {
                case .nothing, .pauseEnded:
                    #expect(action == .listen, "\(reports)")
                    state = .listening
                case .failure:
                    guard case .pause = action else {
                        Issue.record("\(reports)")
                        return
                    }
                    state = .pausing
                case .unavailable:
                    #expect(action == .goOn, "\(reports)")
                    state = .alone
                default: #expect(action == .wait, "\(reports)")
                }
            }
            guard !isWaiting else { continue }
            let next = machine.began(hasReceived: true)
            #expect(next == .listen, "\(reports)")
        }
    }
}
