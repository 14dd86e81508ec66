import SettleDocuments
import SettleLMDB
import SettlePrimitives
import Synchronization

/// The one writer of a store: a thread of its own, and the group commit.
///
/// Callers that arrive while a commit is being flushed wait together and share the next one: one
/// transaction, one flush. Each closure sees the state that the closures before it left. One that
/// throws before it wrote anything simply fails. One that throws after it wrote is undone by
/// giving up the shared transaction: those before it are committed without it, it runs alone (so
/// that its error is about a state that is really there), and those after it go on; the callers
/// only notice that it took longer.
///
/// Who follows the changes (`follow`) then does its part of the same commit. It must not stand in
/// the way of the documents: when it fails, all of it is done again without.
///
/// `pending` is guarded by its lock; everything else runs on the thread.
final class Writer: Sendable {
    /// The most closures in one transaction.
    private static let batchCountMax = 512

    private let environment: Environment
    private let tables: StoreTables
    private let clock: @Sendable () -> Timestamp
    private let follow: @Sendable (StoreTransaction) throws -> Void
    private let publish: @Sendable (StoreCommit) -> Void
    private let thread: WorkerThread

    private struct Pending {
        var jobs = GroupCommitQueue<WriteJob>()
        var isClosed = false
    }
    private let pending = Lock(Pending())

    init(
        environment: Environment, tables: StoreTables, clock: @escaping @Sendable () -> Timestamp,
        follow: @escaping @Sendable (StoreTransaction) throws -> Void,
        publish: @escaping @Sendable (StoreCommit) -> Void
    ) {
        self.environment = environment
        self.tables = tables
        self.clock = clock
        self.follow = follow
        self.publish = publish
        self.thread = WorkerThread(name: "settle-writer")
    }

    /// Queues a job; it fails with ``StorageError/closed`` when the writer was closed.
    func submit(_ job: WriteJob) {
        let isAccepted = pending.withLock { pending in
            if pending.isClosed { return false }
            // Handed to the thread under the lock, so that it is not stopped in between.
            if pending.jobs.add(job) { thread.submit { [self] in drain() } }
            return true
        }
        if !isAccepted { job.fail(StorageError.closed) }
    }

    /// True once ``close()`` was called.
    var isClosed: Bool { pending.withLock { $0.isClosed } }

    /// Refuses new jobs, finishes the queued ones, and ends the thread.
    ///
    /// Blocks until it is done.
    ///
    /// - Returns: False when it was closed before.
    func close() -> Bool {
        let wasClosed = pending.withLock { pending in
            defer { pending.isClosed = true }
            return pending.isClosed
        }
        if !wasClosed { thread.stop() }
        return !wasClosed
    }

    private func drain() {
        while let batch = pending.withLock({ $0.jobs.next(countMax: Self.batchCountMax) }) {
            commit(batch[...])
        }
    }

    /// Why a shared transaction was given up.
    private enum Abandoned: Error {
        case nothingWritten
        case failedAfterWriting(index: Int, any Error)
        case failedFollowing
    }

    private func commit(_ jobs: ArraySlice<WriteJob>) {
        var failures: [Int: any Error] = [:]
        do {
            let commit = try environment.write { engine -> StoreCommit in
                failures = [:]
                return try run(jobs, in: engine, failures: &failures)
            }
            if !commit.changes.isEmpty || commit.setsExpirations { publish(commit) }
            complete(jobs, failures)
        } catch Abandoned.nothingWritten {
            complete(jobs, failures)
        } catch Abandoned.failedAfterWriting(let index, let error) {
            if jobs.count == 1 {
                return jobs[index].fail(StorageError.translated(error))
            }
            let (before, after) = (jobs[..<index], jobs[(index + 1)...])
            if !before.isEmpty { commit(before) }
            commit(jobs[index...index])
            if !after.isEmpty { commit(after) }
        } catch Abandoned.failedFollowing {
            // Who follows gives up what keeps failing.
            commit(jobs)
        } catch {
            // The commit itself failed; one of several may be the reason, so each is tried alone,
            // unless it is plain that each would meet the same, which may take long.
            if jobs.count > 1, !Self.isEverybodys(error) {
                return jobs.indices.forEach { commit(jobs[$0...$0]) }
            }
            let error = StorageError.translated(error)
            for index in jobs.indices { jobs[index].fail(failures[index] ?? error) }
        }
    }

    /// True for a failure that has nothing to do with what one caller wrote.
    private static func isEverybodys(_ error: any Error) -> Bool {
        switch (error as? LMDBError)?.code {
        case .readersBusy, .closed, .panic, .readOnly, .openedBeforeFork: true
        default: false
        }
    }

    private func run(
        _ jobs: ArraySlice<WriteJob>, in engine: WriteTransaction, failures: inout [Int: any Error]
    ) throws -> StoreCommit {
        let transaction = try StoreTransaction(engine: engine, tables: tables, now: clock())
        var changes: [RecordChange] = []
        var hasWritten = false
        for index in jobs.indices {
            transaction.beginClosure()
            do {
                try jobs[index].run(transaction)
                try transaction.endClosure()
            } catch {
                // When the map was full the environment runs all of this again, whatever is
                // noted here.
                guard !transaction.hasWritten else {
                    throw Abandoned.failedAfterWriting(index: index, error)
                }
                failures[index] = StorageError.translated(error)
            }
            // Filling a database is one closure with many changes, which are not copied then.
            if changes.isEmpty {
                changes = transaction.changes
            } else {
                changes += transaction.changes
            }
            hasWritten = hasWritten || transaction.hasWritten
        }
        guard hasWritten else { throw Abandoned.nothingWritten }
        if !changes.isEmpty { try runFollower(in: transaction) }
        try transaction.finish()
        return StoreCommit(
            sequence: transaction.lastSequence, changes: changes,
            setsExpirations: transaction.setsExpirations)
    }

    /// Lets who follows the changes do its part of the commit.
    private func runFollower(in transaction: StoreTransaction) throws {
        transaction.beginClosure()
        do {
            try follow(transaction)
        } catch {
            // When the map was full the environment runs all of this again, whatever is thrown.
            throw Abandoned.failedFollowing
        }
    }

    private func complete(_ jobs: ArraySlice<WriteJob>, _ failures: [Int: any Error]) {
        for index in jobs.indices {
            if let error = failures[index] {
                jobs[index].fail(error)
            } else {
                jobs[index].succeed()
            }
        }
    }
}
