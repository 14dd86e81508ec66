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

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - commits: The signals of the table.
    ///   - period: Between two beats.
    ///   - clock: What beats are measured with.
    ///   - ends: What ends the wait: the stop of the server, the end of the reader's time.
    init(
        commits: AsyncStream<Void>, every period: Duration, on clock: any Clock<Duration>,
        until ends: [ShutdownWatch]
    ) {
        let pending = pending
        tasks =
            [
                Task {
                    for await _ in commits { pending.note(.commit) }
                    // The store was closed.
                    pending.note(.stop)
                },
                Task {
                    while (try? await clock.sleep(for: period)) != nil { pending.note(.beat) }
                },
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
