import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Sends queued writes in the background, and again after a while when that fails.
    final class SendingLoop: Sendable {
        /// Why something is to be sent.
        enum Occasion {
            /// Something was queued. The wait after a failure goes on.
            case queued
            /// The service can be reached again. The wait after a failure ends, but for what the service has asked for.
            case reached
        }

        private struct State {
            var task: Task<Void, Never>?
            var pause: Task<Void, Never>?
            /// Whether something was queued since the last sending began.
            var hasMore = false
            /// Whether the service was reached since the last sending began.
            var isReached = false
        }

        private let state = Lock(State())
        private let clock: any Clock<Duration>
        private let wait: Duration
        private let waitMax: Duration

        init(clock: any Clock<Duration>, wait: Duration, waitMax: Duration) {
            self.clock = clock
            self.wait = wait
            self.waitMax = waitMax
        }

        /// Begins to send, unless that goes on already.
        ///
        /// - Parameters:
        ///   - occasion: Why.
        ///   - send: Sends what waits; answers how long to wait before it is called again at the least, or nil when
        ///     nothing is to be done.
        func kick(
            _ occasion: Occasion, _ send: @escaping @Sendable () async -> Duration?
        ) {
            state.withLock { state in
                state.hasMore = true
                if occasion == .reached {
                    state.isReached = true
                    state.pause?.cancel()
                }
                guard state.task == nil else { return }
                state.task = Task { await self.run(send) }
            }
        }

        /// Ends it; what is being sent is given up.
        func stop() {
            state.withLock { state in
                state.task?.cancel()
                state.pause?.cancel()
                state = State()
            }
        }

        private func run(_ send: @Sendable () async -> Duration?) async {
            var wait = wait
            while !Task.isCancelled {
                state.withLock { state in
                    state.hasMore = false
                    state.isReached = false
                }
                if let least = await send() {
                    // What the service has asked for is not shortened by anything.
                    if least > .zero { try? await clock.sleep(for: least) }
                    await pause(for: wait - least)
                    let isReached = state.withLock { $0.isReached }
                    wait = isReached ? self.wait : min(wait * 2, waitMax)
                    continue
                }
                wait = self.wait
                let isDone = state.withLock { state in
                    if state.hasMore || Task.isCancelled { return Task.isCancelled }
                    state.task = nil
                    return true
                }
                if isDone { return }
            }
        }

        private func pause(for duration: Duration) async {
            let clock = clock
            let pause = state.withLock { state -> Task<Void, Never>? in
                guard duration > .zero, !state.isReached, !Task.isCancelled else { return nil }
                let pause = Task { () -> Void in try? await clock.sleep(for: duration) }
                state.pause = pause
                return pause
            }
            await pause?.value
            state.withLock { $0.pause = nil }
        }
    }
}
