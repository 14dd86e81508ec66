import ArgumentParser
import Dispatch
import Foundation
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
        let task = Task { try await work() }
        let count = Mutex(0)
        let sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the process before the source sees the signal.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isSecond = count.withLock { count in
                    count += 1
                    return count > 1
                }
                if isSecond { Foundation.exit(status.rawValue) }
                task.cancel()
            }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in [SIGINT, SIGTERM] { _ = signal(number, SIG_DFL) }
        }
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
