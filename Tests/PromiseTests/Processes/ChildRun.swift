import Foundation
import StoreChild
import TestSupport

/// One life of the child: what it was told to do, when it is killed, and what it reported.
struct ChildRun: Sendable {
    /// What is known when the child is gone.
    struct Outcome: Sendable {
        /// What it reported, in order.
        var reports: [Report] = []
        /// Lines that are none of its reports.
        var foreignLines: [String] = []
        /// How it ended.
        var ending = ChildProcess.Ending.exited(-1)
        /// What it said on standard error.
        var errors = ""

        /// The last batch of a lane that was reported as committed; nil when none was.
        func lastCommitted(lane: Int) -> Int? {
            reports.reversed().firstNonNil { report in
                if case .committed(lane, let number) = report { number } else { nil }
            }
        }
    }

    /// When the child is killed: so many lines after its start, and so many turns of a loop after.
    struct Kill: Sendable {
        let lines: Int
        let turns: Int
    }

    let arguments: [String]
    var environment: [String: String] = [:]
    /// Nil to let it run to its end.
    var kill: Kill?

    /// Runs the child; blocks.
    func run(errors: URL) throws -> Outcome {
        let child = try LineProcess(
            try BuiltFile.child(), arguments, environment: environment, errors: errors)
        var outcome = Outcome()
        func take(_ line: String) {
            if let report = Report(line: line) {
                outcome.reports.append(report)
            } else {
                outcome.foreignLines.append(line)
            }
        }
        if let kill {
            var count = 0
            while count < kill.lines, let line = try child.nextLine() {
                take(line)
                count += 1
            }
            spin(kill.turns)
            child.kill()
        }
        while let line = try child.nextLine() { take(line) }
        outcome.ending = child.ending()
        outcome.errors = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
        return outcome
    }

    /// Lets a random little time pass, without a clock.
    private func spin(_ turns: Int) {
        var generator = SeededGenerator(seed: 0)
        var last: UInt64 = 1
        for _ in 0..<turns { last = last | generator.next() }
        // Keeps the loop from being optimised away.
        precondition(last != 0, "A number that had a bit set lost it.")
    }
}

extension Sequence {
    /// What the closure gives for the first element that it gives something for.
    func firstNonNil<Value>(_ body: (Element) -> Value?) -> Value? {
        for element in self {
            if let value = body(element) { return value }
        }
        return nil
    }
}
