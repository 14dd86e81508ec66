import Foundation
import SettleIndexing
import SettlePrimitives
import SettleStorage
import Synchronization

/// Something in a database that is not as it must be.
public struct CheckFinding: Sendable, Equatable, CustomStringConvertible {
    /// Where: the table, and the document or row where it is known.
    public let place: String
    /// What is wrong; a sentence.
    public let problem: String

    /// Place and problem in one line.
    public var description: String { "\(place): \(problem)" }

    init(_ finding: StoreFinding) {
        place = finding.place
        problem = finding.problem
    }
}

extension Database {
    /// Looks at everything in the database and says what is not as it must be.
    ///
    /// Every page of the file is followed, every row of every table is read, every count is made
    /// again, every pointer is followed from both ends, every revision and every digest of content
    /// is worked out anew, and every stored reduction is made again from its rows. A deep check also maps every
    /// document again for each index whose definition is known, and compares the rows; a definition is known
    /// when the index is declared, or was given when the database was opened. Side tables are read, and those of the
    /// outbox and of the replicator are compared with what they are about, once these are in use or added by
    /// ``addSideTableCheck(_:)``. Nothing is changed.
    ///
    /// It looks at the pages of one state and then at the rows of one state, on threads of its own, as many as
    /// there are cores. When pages are damaged it says which and stops there, since reading their rows could
    /// end the process. As long as it lasts, the pages of documents that are replaced cannot be used
    /// again, so the file grows; a write that needs a larger map waits for it, for up to half a
    /// minute, and then fails. Check a backup when that matters.
    ///
    /// - Parameters:
    ///   - isDeep: False to leave out what runs the definitions of indexes, which may be code of the
    ///     application.
    ///   - progress: Called with how many of the rows have been looked at, some hundred times, on the threads of
    ///     the check, one after the other.
    /// - Returns: The findings by place; none for a sound database. At most 1,000 are listed.
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read at all;
    ///   `CancellationError` when the task is cancelled, at any moment of the check.
    /// - Complexity: Linear in the size of the file.
    public func check(
        isDeep: Bool = true, progress: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws -> [CheckFinding] {
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await onOwnThread { [self] in
                try check(isDeep: isDeep, progress: progress) {
                    isCancelled.load(ordering: .relaxed)
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private static let findingCountMax = 1_000

    private func check(
        isDeep: Bool, progress: (@Sendable (MaintenanceProgress) -> Void)?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> [CheckFinding] {
        let definitions = indexes.definitions
        return try DatabaseError.translating {
            let pages = try store.checkPages(isCancelled: isCancelled)
            guard pages.isSound else { return pages.findings.map(CheckFinding.init) }
            let counter = Lock<ProgressCounter?>(nil)
            let log = CheckLog(countMax: Self.findingCountMax) { count in
                if isCancelled() { throw CancellationError() }
                counter.withLock { $0?.advance(by: count) }
            }
            for finding in pages.findings { log.find(finding) }
            try store.check(threadCount: ProcessInfo.processInfo.activeProcessorCount) { snapshot in
                let indexes = IndexCheck(definitions: definitions, isDeep: isDeep, log)
                let sides = SideTablePieces(database: self, log: log)
                let total =
                    try StoreCheck.rowCount(of: snapshot)
                    + indexes.rowCount(of: snapshot) + sides.rowCount(of: snapshot)
                counter.withLock { $0 = ProgressCounter(total: total, report: progress) }
                return try StoreCheck(log).pieces(of: snapshot) + indexes.pieces(of: snapshot)
                    + sides.pieces(of: snapshot)
            }
            counter.withLock { $0?.finish() }
            if isCancelled() { throw CancellationError() }
            return log.findings.map(CheckFinding.init)
        }
    }
}
