import Dispatch
import SettlePrimitives
import Synchronization

/// Stands for an observation whose handler is called; give it to ``Database/removeObserver(_:)`` to
/// end it.
///
/// The observation also ends when nobody keeps this object any more.
///
/// ```swift
/// let observer = database.observeQuery(on: "byPrice", with: cheap) { result in
///     show(result.map { $0.document?.string("name") ?? "no name" })
/// }
/// if let observer { database.removeObserver(observer) }
/// ```
public final class QueryObserver: Sendable {
    let list: LiveList
    private let center: ObservationCenter
    private let handlerFailure = HandlerFailure()

    /// What the handler threw last; nil when it never threw.
    ///
    /// The observation goes on then.
    public var handlerError: (any Error)? { handlerFailure.error }

    /// Begins to hand what is observed to a handler, on a queue.
    init(
        _ list: LiveList, _ center: ObservationCenter, interval: Duration,
        clock: any Clock<Duration>, queue: DispatchQueue,
        handler: @escaping @Sendable (ObservedState) throws -> Void
    ) {
        self.list = list
        self.center = center
        let delivery = Task { [handlerFailure] in
            while let state = await list.take() {
                await withCheckedContinuation { continuation in
                    queue.async {
                        if !list.hasEnded { handlerFailure.run { try handler(state) } }
                        continuation.resume()
                    }
                }
                // A sleep is only cut short when the observation has ended.
                if interval > .zero { try? await clock.sleep(for: interval) }
            }
        }
        // It may be waiting for the interval to pass, with all that the handler captured.
        center.cancel(delivery, atEndOf: list)
    }

    deinit {
        end()
    }

    func end() {
        center.end(list)
    }
}

/// What a handler threw.
private final class HandlerFailure: Sendable {
    private let last = Lock<(any Error)?>(nil)

    var error: (any Error)? { last.withLock { $0 } }

    func run(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            last.withLock { $0 = error }
        }
    }
}
