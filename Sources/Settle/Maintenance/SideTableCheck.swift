import SettlePrimitives
import SettleStorage
import Synchronization

/// How a check looks at the side tables that one builder on the database keeps.
///
/// ``Database/check(isDeep:progress:)`` reads every side table; whether the rows mean something only their
/// owner knows. Add one with ``Database/addSideTableCheck(_:)``.
public struct SideTableCheck: Sendable {
    /// The names of the tables; see ``Transaction/sideTable(named:)``.
    public let tables: [String]
    let body: @Sendable (Snapshot, SideTableReport) throws -> Void

    /// A check of some tables.
    ///
    /// - Parameters:
    ///   - tables: The names of the tables that it looks at; at least one. They name the check, too.
    ///   - body: Looks at the tables in a snapshot, on a thread of the check, and reports. What it throws ends
    ///     the whole check, so damage is reported and not thrown.
    public init(
        ofTables tables: [String],
        _ body: @escaping @Sendable (Snapshot, SideTableReport) throws -> Void
    ) {
        self.tables = tables
        self.body = body
    }
}

/// What a check of side tables reports to; valid during the call.
public struct SideTableReport {
    private let log: CheckLog
    private let steps: CheckSteps

    init(_ log: CheckLog) {
        self.log = log
        steps = log.steps()
    }

    /// Something is not as it must be.
    ///
    /// - Parameters:
    ///   - problem: What; a sentence without contents of documents.
    ///   - place: Where: the table, and the row where it is known.
    public func found(_ problem: String, in place: String) {
        log.find(place, problem)
    }

    /// Another row has been looked at; call it once for each.
    ///
    /// - Throws: `CancellationError` when the check was cancelled. Let it pass.
    public func advance() throws {
        try steps.advance()
    }

    func finish() throws {
        try steps.finish()
    }
}

extension Database {
    /// Has checks look at side tables from now on, as long as the database is open.
    ///
    /// The outbox and the replicator add theirs when they are first used. A second one of the same tables
    /// is not added.
    public func addSideTableCheck(_ check: SideTableCheck) {
        sideTableChecks.add(check)
    }

    var sideTableChecks: SideTableCheckRegistry {
        scopedObject { SideTableCheckRegistry() }
    }
}

/// The checks of side tables of a database; the lock guards the list.
final class SideTableCheckRegistry: Sendable {
    private let checks = Lock<[SideTableCheck]>([])

    var all: [SideTableCheck] { checks.withLock { $0 } }

    func add(_ check: SideTableCheck) {
        checks.withLock { checks in
            if !checks.contains(where: { $0.tables == check.tables }) { checks.append(check) }
        }
    }
}
