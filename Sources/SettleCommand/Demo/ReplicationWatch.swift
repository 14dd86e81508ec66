import Settle
import SettlePrimitives
import SettleSync
import Synchronization

/// A status delegate that draws a progress line and remembers the counts it was told.
///
/// The lock guards the counts; they come in on the database's queue.
final class ReplicationWatch: ReplicationStatusDelegate {
    /// What was said last.
    struct Counts: Sendable {
        /// Documents sent, and how many there were to send.
        var sent = 0, totalToSend = 0
        /// Documents received, and how many there were to receive.
        var received = 0, totalToReceive = 0
    }

    private let counts = Lock(Counts())
    private let progress: Progress
    private let ended: AsyncThrowingStream<Counts, any Error>
    private let ending: AsyncThrowingStream<Counts, any Error>.Continuation

    init(_ title: String) {
        progress = Progress(title, counting: "documents")
        (ended, ending) = AsyncThrowingStream.makeStream()
    }

    /// Waits until a replication has completed.
    ///
    /// - Returns: The last counts.
    /// - Throws: Why it failed; `CancellationError` when the task is cancelled.
    func completion() async throws -> Counts {
        defer { progress.end() }
        for try await counts in ended { return counts }
        throw CancellationError()
    }

    func database(
        _ database: Database, replicationIsSending details: any ReplicationDetails, sent: Int,
        totalToSend: Int
    ) {
        counts.withLock { counts in
            counts.sent = sent
            counts.totalToSend = totalToSend
        }
        progress.update(sent, fraction: Double(sent) / Double(max(totalToSend, 1)))
    }

    func database(
        _ database: Database, replicationIsReceiving details: any ReplicationDetails,
        received: Int, totalToReceive: Int
    ) {
        counts.withLock { counts in
            counts.received = received
            counts.totalToReceive = totalToReceive
        }
        progress.update(received, fraction: Double(received) / Double(max(totalToReceive, 1)))
    }

    func database(_ database: Database, replicationDidComplete details: any ReplicationDetails) {
        ending.yield(counts.withLock { $0 })
    }

    func database(
        _ database: Database, replicationFailed details: any ReplicationDetails, error: any Error
    ) {
        ending.finish(throwing: error)
    }
}
