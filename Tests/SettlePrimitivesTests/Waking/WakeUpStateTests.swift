import SettlePrimitives
import Testing

@Suite struct `A wake-up state` {
    private enum Event: CaseIterable {
        case request, begin, finish, end
    }

    @Test func `runs once more when something came meanwhile, and never twice at once`() {
        // Every sequence of up to seven events, against the plain rule.
        for sequence in Self.sequences(upTo: 7) {
            var state = WakeUpState()
            var (isRunning, isDue, isEnded) = (false, false, false)
            for event in sequence {
                switch event {
                case .request:
                    state.request()
                    isDue = true
                case .begin:
                    let begins = isDue && !isRunning && !isEnded
                    #expect(state.begin() == begins, "\(sequence)")
                    if begins { (isRunning, isDue) = (true, false) }
                case .finish:
                    // Without a run it traps.
                    guard isRunning else { continue }
                    state.finish()
                    isRunning = false
                case .end:
                    state.end()
                    isEnded = true
                }
                #expect(state.isRunning == isRunning, "\(sequence)")
                #expect(state.isEnded == isEnded, "\(sequence)")
                #expect(state.isUpToDate == (!isRunning && !isDue), "\(sequence)")
            }
        }
    }

    @Test func `sees every reason with a run that begins after it`() {
        // A shell asks after each event. Whatever came must have been followed by the beginning of a run.
        for sequence in Self.sequences(upTo: 7) where !sequence.contains(.end) {
            var state = WakeUpState()
            var isUnseen = false
            for event in sequence {
                if event == .request {
                    state.request()
                    isUnseen = true
                } else if event == .finish, state.isRunning {
                    state.finish()
                }
                if state.begin() { isUnseen = false }
                #expect(!isUnseen || state.isRunning, "\(sequence)")
            }
            if state.isRunning { state.finish() }
            #expect(state.begin() == isUnseen, "\(sequence)")
        }
    }

    @Test func `traps at the end of a run that was not begun`() async {
        await #expect(processExitsWith: .failure) {
            var state = WakeUpState()
            state.finish()
        }
    }

    private static func sequences(upTo length: Int) -> [[Event]] {
        var all: [[Event]] = [[]]
        var longest: [[Event]] = [[]]
        for _ in 0..<length {
            longest = longest.flatMap { sequence in Event.allCases.map { sequence + [$0] } }
            all += longest
        }
        return all
    }
}
