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
    /// is worked out anew, every stored reduction is made again from its rows, and every document is
    /// mapped again for each index whose definition is known, to compare the rows. Nothing is
    /// changed. The contents of side tables are not looked at.
    ///
    /// It looks at the pages of one state and then at the rows of one state, on a thread of its
    /// own. When pages are damaged it says which and stops there, since reading their rows could
    /// end the process. As long as it lasts, the pages of documents that are replaced cannot be used
    /// again, so the file grows; a write that needs a larger map waits for it, for up to half a
    /// minute, and then fails. Check a backup when that matters.
    ///
    /// - Parameter progress: Called with how many of the rows have been looked at, some hundred times.
    /// - Returns: The findings; none for a sound database. At most 1,000 are listed.
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read at all;
    ///   `CancellationError` when the task is cancelled.
    /// - Complexity: Linear in the size of the file.
    public func check(
        progress: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws -> [CheckFinding] {
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await onOwnThread { [self] in
                try check(progress: progress) { isCancelled.load(ordering: .relaxed) }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private static let findingCountMax = 1_000

    private func check(
        progress: (@Sendable (MaintenanceProgress) -> Void)?, isCancelled: () -> Bool
    ) throws -> [CheckFinding] {
        let definitions = indexes.definitions
        return try DatabaseError.translating {
            let pages = try store.checkPages()
            var findings = pages.findings
            guard pages.isSound else { return findings.map(CheckFinding.init) }
            return try store.read("check") { snapshot in
                let counter = ProgressCounter(
                    total: try StoreCheck.rowCount(of: snapshot)
                        + IndexCheck.rowCount(of: snapshot), report: progress)
                try withoutActuallyEscaping(isCancelled) { isCancelled in
                    // A row that is looked at cannot stop the walk, so it is asked between tables.
                    let report = { (finding: StoreFinding) in
                        if findings.count < Self.findingCountMax { findings.append(finding) }
                    }
                    var documents = StoreCheck(
                        of: snapshot, report: report, advance: counter.advance(by:))
                    try documents.run()
                    if isCancelled() { throw CancellationError() }
                    try IndexCheck(
                        of: snapshot, definitions: definitions, report: report,
                        advance: counter.advance(by:)
                    ).run()
                }
                counter.finish()
                return findings.map(CheckFinding.init)
            }
        }
    }
}
