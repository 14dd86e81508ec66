import SettlePrimitives
import Synchronization

/// What a check finds, and how far it has come; its pieces share it on several threads.
package final class CheckLog: Sendable {
    private let found = Lock<[StoreFinding]>([])
    private let countMax: Int
    private let onAdvance: @Sendable (Int) throws -> Void

    /// A log without findings.
    ///
    /// - Parameters:
    ///   - countMax: The most findings that are kept; more are dropped.
    ///   - onAdvance: Called with how many rows more have been looked at, on any thread. When it throws, the
    ///     check ends with that error; so it is how a check is cancelled.
    package init(
        countMax: Int = .max, onAdvance: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) {
        self.countMax = countMax
        self.onAdvance = onAdvance
    }

    /// Notes that something is not as it must be.
    package func find(_ place: String, _ problem: String) {
        find(StoreFinding(place, problem))
    }

    /// Notes that something is not as it must be.
    package func find(_ finding: StoreFinding) {
        found.withLock { if $0.count < countMax { $0.append(finding) } }
    }

    /// What was found, in an order that does not depend on the threads.
    package var findings: [StoreFinding] {
        found.withLock { $0 }.sorted { ($0.place, $0.problem) < ($1.place, $1.problem) }
    }

    /// Counts the rows that one thread looks at.
    package func steps() -> CheckSteps { CheckSteps(self) }

    fileprivate func advance(by count: Int) throws { try onAdvance(count) }
}

/// The rows that one thread has looked at, told to the log in larger numbers.
package final class CheckSteps {
    private let log: CheckLog
    private var count = 0

    /// Few enough that a cancelled check ends at once, many enough that threads do not wait for each other.
    private static let stretch = 128

    fileprivate init(_ log: CheckLog) {
        self.log = log
    }

    /// Counts rows.
    ///
    /// - Throws: What ends the check.
    package func advance(by rows: Int = 1) throws {
        count += rows
        if count >= Self.stretch { try finish() }
    }

    /// Tells the log of the rows that it was not told of yet.
    ///
    /// - Throws: What ends the check.
    package func finish() throws {
        defer { count = 0 }
        try log.advance(by: count)
    }
}
