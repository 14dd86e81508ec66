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
            #expect(machine.heard(.failure) == .goOn)
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
        #expect(machine.heard(.failure) == .goOn)
        #expect(machine.passed() == .end)
    }

    @Test func `poll waits once without listening when changes are announced that no pull shows`() {
        var machine = machine()
        #expect(machine.began(hasReceived: false) == .listen)
        for _ in 0..<2 {
            #expect(machine.heard(.change) == .end)
            let isListening = machine.began(hasReceived: false) == .listen
            if !isListening { break }
        }
        #expect(machine.passed() == .end)
        #expect(machine.began(hasReceived: false) == .listen)
    }

    /// Every sequence of reports, to a length that meets every state: a poll wait always ends, nothing is
    /// listened to twice at a time, and after a failure not again before the next poll wait.
    @Test func `keeps its promises whatever is reported`() {
        enum Report: CaseIterable { case change, nothing, failure, passed, interrupted }
        let length = 6
        var codes = 1
        for _ in 0..<length { codes *= Report.allCases.count }
        for code in 0..<codes {
            var machine = machine()
            var isListening = machine.began(hasReceived: true) == .listen
            var hasFailed = false
            var passedCount = 0
            var isWaiting = true
            var rest = code
            var reports: [Report] = []
            for _ in 0..<length {
                let report = Report.allCases[rest % Report.allCases.count]
                rest /= Report.allCases.count
                reports.append(report)
                // A shell reports only what it was asked for.
                let isHeard = report == .change || report == .nothing || report == .failure
                if isHeard, !isListening { continue }
                let action: PollWaitStateMachine.Action
                switch report {
                case .change: action = machine.heard(.change)
                case .nothing: action = machine.heard(.nothing)
                case .failure: action = machine.heard(.failure)
                case .passed: action = machine.passed()
                case .interrupted: action = machine.interrupted()
                }
                if isHeard { isListening = false }
                if report == .failure { hasFailed = true }
                if report == .passed { passedCount += 1 }
                let mustEnd =
                    report == .change || report == .interrupted
                    || report == .passed && (hasFailed || passedCount >= 3)
                #expect((action == .end) == mustEnd, "\(reports)")
                if action == .listen {
                    #expect(!isListening && !hasFailed && report == .nothing, "\(reports)")
                    isListening = true
                }
                if action == .end {
                    isWaiting = false
                    break
                }
            }
            guard !isWaiting else { continue }
            let next = machine.began(hasReceived: true)
            #expect(next == .listen, "\(reports)")
        }
    }
}
