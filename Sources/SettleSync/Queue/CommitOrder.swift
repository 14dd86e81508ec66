import Settle
import SettlePrimitives
import Synchronization

/// Keeps the operations of several remotes in the order of their commits: one is sent when those of
/// the others that were committed before are acknowledged or set aside.
final class CommitOrder: Sendable {
    /// The place of an operation among those of all remotes.
    struct Place: Comparable {
        var order: UInt64
        /// Tells apart what has the same order.
        var remote: UInt32

        static func < (left: Place, right: Place) -> Bool {
            (left.order, left.remote) < (right.order, right.remote)
        }
    }

    private struct State {
        /// Counts what may let others go on.
        var progressCount: UInt64 = 0
        /// The remotes whose replication has ended, and whether it failed.
        var ended: [String: Bool] = [:]
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Those that wait for their next poll and have something that waits for another remote.
        var heldBack: [WeakWait] = []
    }

    private struct WeakWait {
        weak var wait: PollWait?
    }

    private let identifiers: [String]
    private let state = Lock(State())

    /// An order.
    ///
    /// - Parameter identifiers: The remotes.
    init(of identifiers: [String]) {
        self.identifiers = identifiers
    }

    /// The first operation that waits for another remote, and that remote; nil when none does.
    ///
    /// - Throws: What the database throws when it cannot be read or written.
    func firstOther(
        than identifier: String, in transaction: Transaction
    ) throws -> (place: Place, remote: String)? {
        var first: (place: Place, remote: String)?
        for other in identifiers where other != identifier {
            // What that remote's push queue has not seen yet was committed before, too.
            while try !PushQueue(identifier: other).catchUp(in: transaction) {}
            guard let record = try RemoteRecord.find(other, in: transaction),
                let order = try RemoteTables(record, in: transaction).firstQueuedOrder()
            else { continue }
            let place = Place(order: order, remote: record.number)
            if first.map({ place < $0.place }) ?? true { first = (place, other) }
        }
        return first
    }

    /// What was counted so far; see ``waitForProgress(since:)``.
    var progressCount: UInt64 { state.withLock { $0.progressCount } }

    /// Something was acknowledged, or set aside.
    func progressed() {
        let (waiting, waits) = state.withLock { state in
            state.progressCount += 1
            defer { (state.waiting, state.heldBack) = ([], []) }
            return (state.waiting, state.heldBack.map(\.wait))
        }
        for continuation in waiting { continuation.resume() }
        for wait in waits { wait?.interrupt() }
    }

    /// Has the poll wait of a session interrupted when others made progress.
    ///
    /// - Returns: False when they have since `count`, and it can go on at once.
    func interrupts(_ wait: PollWait, since count: UInt64) -> Bool {
        state.withLock { state in
            guard state.progressCount == count else { return false }
            state.heldBack.append(WeakWait(wait: wait))
            return true
        }
    }

    /// The replication with a remote has ended.
    func ended(_ identifier: String, isFailure: Bool) {
        state.withLock { $0.ended[identifier] = isFailure }
        progressed()
    }

    /// Whether the replication with a remote has ended, and has failed; nil while it runs.
    func hasFailed(_ identifier: String) -> Bool? { state.withLock { $0.ended[identifier] } }

    /// Waits until something was acknowledged or set aside, or a replication ended.
    ///
    /// Returns at once when the task is cancelled.
    func waitForProgress(since count: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.progressCount != count || Task.isCancelled { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            // The others look again, and wait again.
            progressed()
        }
    }
}
