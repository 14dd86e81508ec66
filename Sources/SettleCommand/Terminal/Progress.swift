import Foundation
import Settle
import SettlePrimitives
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line on the terminal that says how far a command has come.
///
/// It stands on standard error and only where that is a terminal and not a dumb one, so that logs
/// and pipes see nothing of it. It is drawn anew at most ten times a second and gone when the command ends.
/// The lock guards the last drawing; counts may come from any task.
final class Progress: Sendable {
    private struct State {
        var drawn: ContinuousClock.Instant?
        var isVisible = false
    }

    private let title: String
    private let noun: String
    private let isShown: Bool
    private let begun = ContinuousClock.now
    private let state = Lock(State())

    /// A line that is not drawn yet.
    ///
    /// - Parameters:
    ///   - title: What is being done.
    ///   - noun: What is counted, in the plural.
    ///   - isShown: False to draw nothing whatever standard error is.
    init(_ title: String, counting noun: String, isShown: Bool = true) {
        self.title = title
        self.noun = noun
        self.isShown =
            isShown && isatty(STDERR_FILENO) == 1
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Says how many are done.
    ///
    /// - Parameters:
    ///   - done: How many so far.
    ///   - fraction: How much of the whole that is, 0 to 1; nil when the whole is not known.
    func update(_ done: Int, fraction: Double? = nil) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            if let drawn = state.drawn, drawn.duration(to: now) < .milliseconds(100) {
                return false
            }
            state.drawn = now
            state.isVisible = true
            return true
        }
        guard isDue else { return }
        let elapsed = begun.duration(to: now)
        let line = Self.line(
            title: title, noun: noun, done: done, fraction: fraction, elapsed: elapsed)
        // A line that wraps could not be drawn over.
        draw(Terminal.width(of: STDERR_FILENO).map { String(line.prefix(max($0 - 1, 0))) } ?? line)
    }

    /// Says how far work on a database has come.
    func update(_ progress: MaintenanceProgress) {
        update(
            progress.completed,
            fraction: Double(progress.completed) / Double(max(progress.total, 1)))
    }

    /// Takes the line away.
    func end() {
        let wasVisible = state.withLock { state in
            defer { state.isVisible = false }
            return state.isVisible
        }
        if wasVisible { draw("") }
    }

    /// The text of the line, at most 79 columns.
    static func line(
        title: String, noun: String, done: Int, fraction: Double?, elapsed: Duration
    ) -> String {
        var line = title + "  "
        if let fraction {
            let width = 24
            let full = Int((min(max(fraction, 0), 1) * Double(width)).rounded(.down))
            line += "[" + String(repeating: "#", count: full)
            line += String(repeating: ".", count: width - full) + "]  "
            line += "\(Int(min(max(fraction, 0), 1) * 100)) %  "
        }
        line += "\(Quantity.number(done)) \(noun)"
        if let rate = Quantity.rate(done, in: elapsed) { line += ", \(Quantity.number(rate))/s" }
        return String(line.prefix(79))
    }

    private func draw(_ line: String) {
        // Back to the margin, the text, and clear what is left of the old line.
        try? FileHandle.standardError.write(contentsOf: Data("\r\(line)\u{1B}[K".utf8))
    }
}
