internal import SettlePrimitives

/// A number of connections to one database, each with a thread of its own.
///
/// Calls of libpq block their thread, which those of Swift's tasks must not be. Jobs are taken up
/// in the order in which they came. A connection is made when a job first needs it; one that has
/// broken is thrown away and made anew for the next job.
package final class PQPool: Sendable {
    private let work: PoolWork

    /// Makes a pool; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - endpoint: The database.
    ///   - size: How many connections there are at most, and threads.
    ///   - connectWait: How long a job waits for a connection, from when it was asked for: within
    ///     this time connecting is tried again, so that a restart of the server goes unnoticed. An
    ///     attempt that nobody answers may end up to two seconds later, or as late as the URL's
    ///     `connect_timeout` says; jobs that waited behind it fail with it. Connections that are
    ///     there are waited for without a limit.
    package init(endpoint: PQEndpoint, size: Int, connectWait: Duration = .seconds(5)) {
        precondition(size > 0, "A pool without connections does nothing.")
        work = PoolWork(endpoint: endpoint, size: size, connectWait: connectWait)
        for _ in 0..<size {
            let work = work
            DedicatedThread.start(name: "settle-pq") { work.runThread() }
        }
    }

    deinit {
        work.close()
    }

    /// Runs a body with a connection, on the connection's thread.
    ///
    /// When the task is cancelled while it waits for a connection, it stops waiting; when the body
    /// runs, its statement is cancelled.
    ///
    /// - Parameter body: What is done with the connection; the connection stays inside.
    /// - Returns: What `body` returned.
    /// - Throws: ``PQError`` with `cannotConnect` when there was no connection in time, `closed`
    ///   after ``close()``; `CancellationError` when the task was cancelled; what `body` throws.
    package func perform<R: Sendable>(
        _ body: @escaping @Sendable (PQConnection) throws -> R
    ) async throws -> R {
        let (number, begin) = (work.nextNumber(), ContinuousClock.now)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                work.add(
                    PoolJob(
                        number: number, begin: begin,
                        connectDeadline: begin + work.connectWait,
                        run: { connection, job in
                            do {
                                continuation.resume(returning: try body(connection))
                            } catch let error as PQError
                                where error.state == .queryCanceled && job.isCancelled
                            {
                                continuation.resume(throwing: CancellationError())
                            } catch {
                                continuation.resume(throwing: error)
                            }
                        },
                        fail: { continuation.resume(throwing: $0) }))
            }
        } onCancel: {
            work.cancel(number)
        }
    }

    /// Closes the connections, after the jobs that are running; those that wait are refused.
    ///
    /// May be called more than once.
    package func close() async {
        work.close()
        await work.threadsEnded()
    }
}
