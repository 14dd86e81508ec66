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

    /// The commands that run, of which a shell may have many one after the other.
    private struct State {
        struct Running {
            /// How many signals have come.
            var count = 0
            var cancel: (@Sendable () -> Void)?
        }

        var running: [Int: Running] = [:]
        var lastNumber = 0
        /// Whether SIGINT ends the process when no command runs.
        var isInterruptedAtRest = true
    }

    private static let state = Lock(State())

    /// Handles the signals for as long as the process lives: the library of dispatch sources sets the handler of a
    /// signal once only, so it must not be taken away after a command.
    private static let installed = Task {
        for number in [SIGINT, SIGTERM] {
            // The default action would end the process before the source sees the signal.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // Keeps the source.
                withExtendedLifetime(source) { handle(number) }
            }
            // Before that, a signal would be ignored.
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
        }
    }

    private static func handle(_ number: Int32) {
        let (isOver, cancels) = state.withLock { state in
            var isOver = state.running.isEmpty && (number != SIGINT || state.isInterruptedAtRest)
            for key in state.running.keys {
                state.running[key]?.count += 1
                if state.running[key]?.count ?? 0 > 1 { isOver = true }
            }
            return (isOver, state.running.values.compactMap(\.cancel))
        }
        if isOver { Foundation.exit(status.rawValue) }
        for cancel in cancels { cancel() }
    }

    /// Has SIGINT do nothing while no command runs, as a shell needs it.
    static func ignoreAtRest() async {
        state.withLock { $0.isInterruptedAtRest = false }
        await installed.value
    }

    /// Runs the work of a command so that signals cancel it.
    ///
    /// - Throws: What `work` throws.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        _ = signal(SIGPIPE, SIG_IGN)
        let number = state.withLock { state in
            state.lastNumber += 1
            state.running[state.lastNumber] = State.Running()
            return state.lastNumber
        }
        defer { state.withLock { $0.running[number] = nil } }
        await installed.value
        let task = Task { try await work() }
        let isInterrupted = state.withLock { state in
            state.running[number]?.cancel = { task.cancel() }
            return state.running[number]?.count ?? 0 > 0
        }
        if isInterrupted { task.cancel() }
        return try await task.value
    }

    /// Waits until the task is cancelled.
    static func wait() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        // A stream ends when the task that reads it is cancelled.
        for await _ in stream {}
        continuation.finish()
    }
}
