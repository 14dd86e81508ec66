package import SettlePrimitives
package import SettleStorage
import Synchronization

/// Builds the indexes of one database and keeps their rows up to date.
///
/// It reads snapshots and writes transactions of its own. Documents are mapped in snapshots; the
/// writer only takes in what comes of it. One piece of work an index goes on at a time, and everyone
/// who needs the index waits for that one. It keeps no list of the indexes: each call hands
/// one in.
///
/// What guards the state: the store, the jobs, the crash guard and the pace each guard their own
/// with a lock; none is held while something else is called.
package final class IndexEngine: Sendable {
    /// Takes how far a build has come; called from any thread.
    package typealias Report = @Sendable (IndexProgress) -> Void

    /// How much of the work is done at once; work that is begun later goes by what is set here.
    package let pace = Lock(IndexPace())

    private let store: Store
    let jobs = IndexJobs()
    private let crashGuard: IndexCrashGuard

    /// An engine over a store.
    ///
    /// - Parameters:
    ///   - store: The documents and the rows.
    ///   - directory: The path of the directory in which the files of the crash guard lie.
    package init(_ store: Store, directory: String) {
        self.store = store
        crashGuard = IndexCrashGuard(CrashGuardFolder(directory))
    }

    /// Builds an index or brings it up to date, and returns when its rows hold every change up to
    /// a sequence.
    ///
    /// Work that goes on already is joined, and work goes on when the waiting task is cancelled.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - sequence: The last change that must be in the rows.
    ///   - report: Called with how far a build has come.
    /// - Throws: ``IndexError/replaced(name:)`` when the database has another definition meanwhile;
    ///   ``StorageError/closed`` after ``stop()``; `CancellationError` when the waiting task is
    ///   cancelled; what the steps throw.
    /// - Complexity: A build maps every document, on all cores, and sorts the rows; catching up maps
    ///   those that changed.
    package func bringUpToDate(
        _ index: RegisteredIndex, to sequence: UInt64, report: Report? = nil
    ) async throws {
        let update = update(of: index)
        // Work that was begun for an earlier sequence may end before this one.
        while try !update.isDone(to: sequence) {
            try Task.checkCancellation()
            do {
                try await jobs.join(index.number, report: report) { report in
                    try await update.bringUpToDate(to: sequence, report: report)
                }
            } catch is CancellationError {
                // The work was broken off, because the index was replaced or the engine stopped;
                // what comes next says which.
                try Task.checkCancellation()
                try update.checkIsCurrent()
            }
        }
    }

    /// Brings an index up to date within a transaction, if it lacks few changes; on the writer's
    /// thread.
    ///
    /// - Parameters:
    ///   - definition: The index.
    ///   - countMax: The most changes to map there.
    ///   - transaction: The transaction that is under way.
    /// - Returns: What rows changed; nil when the index was left alone, because it is to be built or
    ///   lacks more, or documents must be mapped alone first.
    /// - Throws: ``IndexError``, ``StorageError``.
    package func follow(
        _ definition: IndexDefinition, countMax: Int, in transaction: StoreTransaction
    ) throws -> RowChanges? {
        guard
            let reader = try IndexReader(
                of: definition.name, fitting: definition, in: transaction),
            reader.fits, reader.state.isWhole, !reader.state.missesPurges(in: transaction),
            transaction.lastSequence - reader.state.sequence <= UInt64(countMax)
        else { return nil }
        // What a process died of is stored first and then mapped alone, or it could never be stored.
        if definition.mayTrap, !crashGuard.crashes(of: definition).suspects.isEmpty { return nil }
        let changes = try crashGuard.changes(
            of: definition, slot: reader.slot, reader.state,
            MapLimit(countMax: countMax, isCancelled: { false }), in: transaction)
        guard changes.isComplete else { return nil }
        let steps = IndexBuildSteps(definition, worker: try crashGuard.worker)
        return try steps.apply(changes, in: transaction)
    }

    /// Removes everything that an index keeps, in a transaction of its own.
    ///
    /// - Throws: what ``Store/write(_:)`` throws.
    package func remove(named name: String) async throws {
        try await store.write { try IndexBuildSteps.remove(name: name, in: $0) }
    }

    /// How far the build of the definition with a number has come; nil when none goes on.
    package func progress(of number: Int) -> IndexProgress? {
        jobs.progress(of: number)
    }

    /// Breaks off the work for the definition with a number and waits for its end.
    package func stop(_ number: Int) async {
        await jobs.stop(number)
    }

    /// Breaks off all work without waiting for its end; later calls of
    /// ``bringUpToDate(_:to:report:)`` throw.
    package func breakOff() {
        jobs.breakOff()
    }

    /// Breaks off all work and waits for its end; later calls of ``bringUpToDate(_:to:report:)``
    /// throw.
    ///
    /// The step in hand is waited for: a map closure with one document, or a commit. It may be
    /// called more than once.
    package func stop() async {
        await jobs.close()
    }

    /// Lets go of the crash guard's file, after ``stop()`` and after the store was closed.
    package func close() {
        crashGuard.close()
    }

    /// The paths of the crash guard files of all processes in a directory.
    package static func crashGuardFiles(in directory: String) -> [String] {
        CrashGuardFolder(directory).paths
    }

    private func update(of index: RegisteredIndex) -> IndexUpdate {
        IndexUpdate(
            store: store, index: index, crashGuard: crashGuard, pace: pace.withLock { $0 })
    }
}
