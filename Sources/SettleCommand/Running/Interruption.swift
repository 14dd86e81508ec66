import ArgumentParser
import Dispatch
import Foundation
import SettlePrimitives
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ends a command in good order when the terminal or the system asks it to.
///
/// The first SIGINT or SIGTERM cancels the command's task, which finishes the transaction it is in
/// and closes its database; the second ends the process at once, which leaves the database as the
/// last commit left it. Writing to a reader that has gone is an error of that write and no signal.
enum Interruption {
    /// The status of a command that was interrupted: 128 and the number of SIGINT, as shells have
    /// it.
    static let status = ExitCode(130)

    /// Runs the work of a command so that signals cancel it.
    ///
    /// - Throws: What `work` throws.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        _ = signal(SIGPIPE, SIG_IGN)
        let state = Lock(State<Value>())
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGINT, SIGTERM] {
            // The default action would end the process before the source sees the signal.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let (isSecond, task) = state.withLock { state in
                    state.count += 1
                    return (state.count > 1, state.task)
                }
                if isSecond { Foundation.exit(status.rawValue) }
                task?.cancel()
            }
            // Before that, a signal would be ignored.
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
            sources.append(source)
        }
        defer {
            for source in sources { source.cancel() }
            for number in [SIGINT, SIGTERM] { _ = signal(number, SIG_DFL) }
        }
        let task = Task { try await work() }
        let isInterrupted = state.withLock { state in
            state.task = task
            return state.count > 0
        }
        if isInterrupted { task.cancel() }
        return try await task.value
    }

    private struct State<Value: Sendable> {
        /// How many signals have come.
        var count = 0
        var task: Task<Value, any Error>?
    }

    /// Waits until the task is cancelled.
    static func wait() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        // A stream ends when the task that reads it is cancelled.
        for await _ in stream {}
        continuation.finish()
    }
}
