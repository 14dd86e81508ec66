import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Sends queued writes in the background, and again after a while when that fails.
    final class SendingLoop: Sendable {
        private struct State {
            var task: Task<Void, Never>?
            var pause: Task<Void, Never>?
            var isRequested = false
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

        /// Begins to send, or ends the pause before the next try.
        ///
        /// - Parameter send: Sends what waits; answers how long to wait before it is called again at the least, or nil when
        ///   nothing is to be done.
        func kick(_ send: @escaping @Sendable () async -> Duration?) {
            state.withLock { state in
                state.isRequested = true
                state.pause?.cancel()
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
                state.withLock { $0.isRequested = false }
                if let least = await send() {
                    await pause(for: max(wait, least))
                    let wasWoken = state.withLock { $0.isRequested }
                    wait = wasWoken ? self.wait : min(wait * 2, waitMax)
                    continue
                }
                let isDone = state.withLock { state in
                    if state.isRequested || Task.isCancelled { return Task.isCancelled }
                    state.task = nil
                    return true
                }
                if isDone { return }
            }
        }

        private func pause(for duration: Duration) async {
            let clock = clock
            let pause = state.withLock { state -> Task<Void, Never>? in
                guard !state.isRequested, !Task.isCancelled else { return nil }
                let pause = Task { () -> Void in try? await clock.sleep(for: duration) }
                state.pause = pause
                return pause
            }
            await pause?.value
            state.withLock { $0.pause = nil }
        }
    }
}
