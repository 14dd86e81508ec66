import SettlePrimitives
import Synchronization

/// What wakes one who waits for changes; what is to be known first comes first.
enum LiveEvent: Int, Sendable, Hashable, CaseIterable {
    /// The server is stopping, or the reader's time is over.
    case stop
    /// Something was committed to the table.
    case commit
    /// The time is up, or a sign of life is due.
    case beat
}

/// Commits, the clock and the end of the server, for one who waits.
///
/// Made before the first read of the table, so that no commit falls in between. Of what comes while
/// nobody waits, each kind is kept once, however slow the reader.
final class LiveEvents: Sendable {
    /// What came and was not taken.
    private final class Pending: Sendable {
        private let events = Lock<Set<LiveEvent>>([])
        private let wake: AsyncStream<Void>.Continuation
        let wakes: AsyncStream<Void>

        init() {
            (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        }

        func note(_ event: LiveEvent) {
            _ = events.withLock { $0.insert(event) }
            wake.yield()
        }

        /// Forgets what came and was not taken.
        func forget(_ event: LiveEvent) {
            _ = events.withLock { $0.remove(event) }
        }

        func take() -> LiveEvent? {
            events.withLock { events in
                let first = events.min { $0.rawValue < $1.rawValue }
                if let first { events.remove(first) }
                return first
            }
        }
    }

    private let pending = Pending()
    private let tasks: [Task<Void, Never>]
    private let beats: Lock<Task<Void, Never>?>
    private let period: Duration
    private let clock: any Clock<Duration>

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - commits: The signals of the table.
    ///   - period: Between two beats.
    ///   - clock: What beats are measured with.
    ///   - beginningAtOnce: Whether the first beat comes by itself; if not, ``restart()`` begins.
    ///   - ends: What ends the wait: the stop of the server, the end of the reader's time.
    init(
        commits: AsyncStream<Void>, every period: Duration, on clock: any Clock<Duration>,
        beginningAtOnce: Bool = true, until ends: [ShutdownWatch]
    ) {
        let pending = pending
        self.period = period
        self.clock = clock
        beats = Lock(beginningAtOnce ? Self.beats(pending, every: period, on: clock) : nil)
        tasks =
            [
                Task {
                    for await _ in commits { pending.note(.commit) }
                    // The store was closed.
                    pending.note(.stop)
                }
            ]
            + ends.map { end in
                Task {
                    await end.wait()
                    pending.note(.stop)
                }
            }
    }

    deinit {
        for task in tasks { task.cancel() }
        beats.withLock { $0?.cancel() }
    }

    private static func beats(
        _ pending: Pending, every period: Duration, on clock: any Clock<Duration>
    ) -> Task<Void, Never> {
        Task {
            while (try? await clock.sleep(for: period)) != nil, !Task.isCancelled {
                pending.note(.beat)
            }
        }
    }

    /// Begins the period anew: the next beat is a whole one away.
    func restart() {
        beats.withLock { task in
            task?.cancel()
            pending.forget(.beat)
            task = Self.beats(pending, every: period, on: clock)
        }
    }

    /// The next event; nil when the waiting task is cancelled.
    func next() async -> LiveEvent? {
        while true {
            if let event = pending.take() { return event }
            var wakes = pending.wakes.makeAsyncIterator()
            guard await wakes.next() != nil else { return nil }
        }
    }
}
