import Foundation
import SettleDocuments
import SettlePrimitives
import SettleStorage
import Synchronization

/// Purges documents when their date has come.
///
/// A task runs only while there are dates to wait for. It looks at the dates again after each
/// commit that set one, and at least once a minute, because the clock of the device may be set and
/// other processes may set dates.
///
/// The lock guards the state; nothing is called while it is held.
final class ExpirationTimer: Sendable {
    private struct State {
        weak var database: Database?
        /// Looks at the dates whenever the signal is given.
        var watch: Task<Void, Never>?
        var signal: AsyncStream<Void>.Continuation?
        /// Gives the signal when the next date has come.
        var sleeper: Task<Void, Never>?
        var isStopped = false
        var hasBegun = false
        var purgedCount = 0
    }
    private let state = Lock(State())
    private let clock: any Clock<Duration>

    /// The longest the task sleeps.
    private static let sleepMax = Duration.seconds(60)
    /// The most documents purged in one transaction.
    private static let countAtOnce = 500

    init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// How many documents were purged since the database was opened, because their date had come.
    var purgedCount: Int { state.withLock { $0.purgedCount } }

    /// Says whose dates these are.
    func attach(_ database: Database) {
        state.withLock { $0.database = database }
    }

    /// Purges what is overdue when the database was opened, and begins to watch the dates; later calls do nothing.
    func purgeOverdue() async {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { await look() }
    }

    /// Begins to watch the dates of a database.
    func start(_ database: Database) {
        state.withLock { $0.database = database }
        datesChanged()
    }

    /// Looks at the dates again, because one was set.
    func datesChanged() {
        state.withLock { state in
            guard !state.isStopped else { return }
            if state.signal == nil {
                let (signals, signal) = AsyncStream<Void>.makeStream(
                    bufferingPolicy: .bufferingNewest(1))
                state.signal = signal
                state.watch = TraceSpan.leaving {
                    Task { [weak self] in
                        for await _ in signals { await self?.look() }
                    }
                }
            }
            state.signal?.yield()
        }
    }

    /// Ends the watch.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.signal?.finish()
            state.watch?.cancel()
            state.sleeper?.cancel()
        }
    }

    /// Purges what is due and sleeps until the next date.
    private func look() async {
        guard let database = state.withLock({ $0.database }) else { return }
        do {
            while let next = try database.read({ try $0.nextExpiration }) {
                let now = database.configuration.now()
                guard next <= Timestamp(now) else {
                    return sleep(for: Date(next).timeIntervalSince(now))
                }
                // A date without a document is damage that `check` tells of; waiting for it here
                // would never end.
                if try await purge(in: database, at: now) == 0,
                    try database.read({ try $0.nextExpiration }) == next
                {
                    return sleep(for: .infinity)
                }
            }
        } catch {
            // The database is closed, or its disk is full: look again in a while.
            sleep(for: .infinity)
        }
    }

    private func sleep(for seconds: TimeInterval) {
        let duration = seconds < 60 ? Duration.seconds(seconds) : Self.sleepMax
        let sleeper = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            self?.datesChanged()
        }
        state.withLock { state in
            state.sleeper?.cancel()
            state.sleeper = sleeper
            if state.isStopped { sleeper.cancel() }
        }
    }

    private func purge(in database: Database, at date: Date) async throws -> Int {
        let count = try await database.write { transaction in
            let ids = try transaction.expired(at: date, countMax: Self.countAtOnce)
            return try transaction.purge(documentsWithIds: ids).count
        }
        state.withLock { $0.purgedCount += count }
        return count
    }
}

extension Snapshot {
    /// The earliest date at which a document is to be purged; nil when none is.
    var nextExpiration: Timestamp? {
        get throws { try DatabaseError.translating { try base.nextExpiration } }
    }

    /// The documents whose date has come.
    func expired(at date: Date, countMax: Int) throws -> [String] {
        try DatabaseError.translating {
            try base.expired(at: Timestamp(date), countMax: countMax)
        }
    }
}
