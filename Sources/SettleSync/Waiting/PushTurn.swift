import SettlePrimitives
import Synchronization

/// Lets the replications of one remote push one after the other.
///
/// Two at once would both take up what was sent without an answer, and send it twice.
final class PushTurn: Sendable {
    private struct State {
        var isTaken = false
        var numberNext: UInt64 = 0
        /// Those that wait, first come first served.
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Lock(State())

    /// Runs `body` when nobody else runs theirs.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; what `body` throws.
    func run<R>(_ body: () async throws -> R) async throws -> R {
        try await take()
        defer { pass() }
        return try await body()
    }

    private func take() async throws {
        let number = state.withLock { state in
            state.numberNext += 1
            return state.numberNext
        }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }
                    .map { state.waiting.remove(at: $0).continuation }
            }
            continuation?.resume(returning: false)
        }
        guard isMine else { throw CancellationError() }
    }

    private func pass() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.isTaken = false
            return nil
        }
        next?.resume(returning: true)
    }
}
