import Settle
import Synchronization

/// What one seed did, step by step, for the message of a failure.
final class Journal: Sendable {
    private struct State {
        var lines: [String] = []
        var stepCount = 0
    }

    private let state = Mutex(State())

    /// The schedule: numbered steps, and below each what happened in it.
    var text: String { state.withLock { $0.lines.joined(separator: "\n") } }

    /// Begins a step.
    func step(_ line: String) {
        state.withLock { state in
            state.stepCount += 1
            state.lines.append("\(state.stepCount). \(line)")
        }
    }

    /// Tells what happens in the step.
    func note(_ line: String) {
        state.withLock { $0.lines.append("     \(line)") }
    }

    /// A value as it is told.
    static func text(_ value: JSONValue?) -> String {
        guard let value else { return "nothing" }
        return String(decoding: JSONText.text(of: value), as: UTF8.self)
    }

    /// Members as they are told.
    static func text(_ members: [String: JSONValue]?) -> String {
        text(members.map { JSONValue.object($0) })
    }
}
