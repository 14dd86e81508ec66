public import Foundation
import Settle
import SettlePrimitives
import Synchronization

/// What subscribers of an outbox get.
final class OutboxSignals: Sendable {
    let failures = Broadcast<OperationFailure>()
    let pipelineFailures = Broadcast<PipelineFailure>()
    private let ticks = Broadcast<Void>()
    private let readers = Lock<[WeakReader]>([])

    private struct WeakReader {
        weak var pending: PendingQueueChanges?
    }

    func queueChanges() -> QueueChanges {
        let pending = PendingQueueChanges()
        readers.withLock { readers in
            readers.removeAll { $0.pending == nil }
            readers.append(WeakReader(pending: pending))
        }
        return QueueChanges(pending: pending, ticks: ticks.stream(.bufferingNewest(1)))
    }

    func publish(_ changes: [QueueChange]) {
        for reader in readers.withLock({ $0.compactMap(\.pending) }) { reader.append(changes) }
        ticks.send(())
    }

    func finish() {
        ticks.finish()
        failures.finish()
        pipelineFailures.finish()
    }
}

/// What has happened to the queues of an outbox, one element for each pipeline and commit, or for
/// several commits when the reader is slow.
///
/// It has one reader.
public struct QueueChanges: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = QueueChange
    /// It never fails.
    public typealias Failure = Never

    let pending: PendingQueueChanges
    let ticks: AsyncStream<Void>

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pending: pending, ticks: ticks.makeAsyncIterator())
    }

    /// Reads the changes.
    public struct Iterator: AsyncIteratorProtocol {
        let pending: PendingQueueChanges
        var ticks: AsyncStream<Void>.Iterator

        /// The next change; nil when the outbox was closed or the task is cancelled.
        public mutating func next() async -> QueueChange? {
            while true {
                if let change = pending.take() { return change }
                guard await ticks.next() != nil else { return pending.take() }
            }
        }

        /// The next change; nil when the outbox was closed or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> QueueChange? {
            while true {
                if let change = pending.take() { return change }
                guard await ticks.next(isolation: actor) != nil else { return pending.take() }
            }
        }
    }
}

/// The changes that one reader has not taken yet, united by pipeline.
final class PendingQueueChanges: Sendable {
    private let changes = Lock<[QueueChange]>([])

    func append(_ later: [QueueChange]) {
        changes.withLock { changes in
            for change in later {
                if let index = changes.firstIndex(where: { $0.pipeline == change.pipeline }) {
                    changes[index].append(change)
                } else {
                    changes.append(change)
                }
            }
        }
    }

    func take() -> QueueChange? {
        changes.withLock { changes in
            while !changes.isEmpty {
                let change = changes.removeFirst()
                if !change.isEmpty { return change }
            }
            return nil
        }
    }
}

/// That a pipeline could not start anything, and tries again.
public struct PipelineFailure: Sendable {
    /// The pipeline.
    public let pipeline: String
    /// What the database threw when the queue was looked at or starts were stored: it is damaged, its disk is
    /// full, or a newer release has written an operation that this one cannot read.
    public let error: any Error
    /// When it tries again, unless something is committed before.
    public let retryDate: Date
}

/// A failure of an operation, which is tried again.
public struct OperationFailure: Sendable {
    /// The operation.
    public let operationId: UUID
    /// The name of its type.
    public let name: String
    /// Its pipeline.
    public let pipeline: String
    /// What the delegate threw, or the database when the outcome was stored.
    public let error: any Error
    /// When it is tried again; nil when the database takes nothing: the outcome is stored later then,
    /// as soon as it does.
    public let retryDate: Date?
}
