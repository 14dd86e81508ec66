import SettleDocuments
import SettleIndexing
import SettlePrimitives
import Synchronization

/// One observed query of an index.
///
/// Brought up to date by the passes of its ``ObservedIndex``, one at a time.
final class ObservedQuery: Sendable {
    let list: LiveList
    private let parameters: any QueryParameters
    private let shown: ShownDocuments?
    private let plan: Lock<Plan>
    /// What a query says beside its rows, as long as no row was made or removed since it was asked.
    private let place = Lock<Place?>(nil)

    private typealias Place = (totalRows: Int?, offset: Int?)

    /// What is asked, in terms of one definition of the index.
    private struct Plan {
        let definition: Int
        let query: IndexQuery
        let selection: ObservedSelection

        init(_ parameters: any QueryParameters, of entry: IndexRegistry.Entry) throws(DatabaseError)
        {
            definition = entry.number
            query = try IndexQuery(parameters, hasReducer: entry.definition.reducer != nil)
            selection = ObservedSelection(query, entry.definition)
        }
    }

    /// From how many changed rows on everything is read again, if it is not far more than that.
    private static let singleCountMax = 256
    /// How many places of documents that are shown no more may be remembered.
    private static let forgottenCountMax = 1_024

    /// - Throws: ``DatabaseError`` with `unsupportedQuery`.
    init(
        _ parameters: any QueryParameters, of entry: IndexRegistry.Entry
    ) throws(DatabaseError) {
        let plan = try Plan(parameters, of: entry)
        self.parameters = parameters
        self.plan = Lock(plan)
        shown = parameters.includeDocuments ? ShownDocuments() : nil
        list = LiveList(
            startRow: parameters.startRow, skip: plan.query.skip, limit: plan.query.limit,
            isDescending: plan.query.isDescending, hasSpareRows: !plan.selection.isReduced)
    }

    /// Brings the rows up to date and delivers them if they are others than before.
    ///
    /// - Parameters:
    ///   - changes: What happened to the index since the last pass; nil when that is not known, and
    ///     all rows are read again.
    ///   - entry: The index; when it was replaced, all rows are read again.
    ///   - runner: Reads the index.
    ///   - snapshot: Where it is read.
    ///   - sequence: The last change that the index takes into account.
    func update(
        with changes: [RowChanges]?, of entry: IndexRegistry.Entry, _ runner: QueryRunner,
        in snapshot: Snapshot, sequence: UInt64
    ) {
        if list.hasEnded { return }
        do {
            try DatabaseError.translating {
                let plan = try plan(for: entry)
                let selection = plan.selection
                let keepsKeys = changes.map { $0.allSatisfy(\.keepsKeys) } ?? false
                if !keepsKeys { place.withLock { $0 = nil } }
                let mayDiffer = try bringUpToDate(
                    selection, with: changes, runner, in: snapshot)
                guard mayDiffer else { return }
                try list.deliver(sequence: sequence) {
                    try place(of: plan.query, runner)
                }
            }
        } catch {
            list.fail(error)
        }
    }

    private func plan(for entry: IndexRegistry.Entry) throws(DatabaseError) -> Plan {
        let known = plan.withLock { $0 }
        if known.definition == entry.number { return known }
        list.invalidate()
        place.withLock { $0 = nil }
        let new = try Plan(parameters, of: entry)
        plan.withLock { $0 = new }
        return new
    }

    private func place(of query: IndexQuery, _ runner: QueryRunner) throws -> Place {
        if let known = place.withLock({ $0 }) { return known }
        var question = query
        question.limit = 0
        let found = try runner.run(question) { _ in }
        place.withLock { $0 = found }
        return found
    }

    /// - Returns: False when nothing can have changed.
    private func bringUpToDate(
        _ selection: ObservedSelection, with changes: [RowChanges]?, _ runner: QueryRunner,
        in snapshot: Snapshot
    ) throws -> Bool {
        guard list.isLoaded, let changes else {
            try load(selection, runner, in: snapshot)
            return true
        }
        let keys = try concerned(selection, by: changes)
        if keys.isEmpty { return false }
        if keys.count > max(Self.singleCountMax, list.count / 4) {
            try load(selection, runner, in: snapshot)
            return true
        }
        guard let rows = try rows(at: keys, of: selection, runner, in: snapshot) else {
            try load(selection, runner, in: snapshot)
            return true
        }
        switch list.apply(rows) {
        case .nothing:
            break
        case .all:
            try load(selection, runner, in: snapshot)
        case .items(let place, let count):
            let more = try runner.items(of: selection, after: place, countMax: count)
            list.extend(with: try items(more, in: snapshot), wantedCount: count)
        }
        if let shown, shown.count > 2 * list.count + Self.forgottenCountMax {
            // Rows that are shown no more; one of them would be looked at in vain for ever.
            try load(selection, runner, in: snapshot)
        }
        return true
    }

    /// The rows at some places as they are now.
    ///
    /// - Returns: Nil when one cannot be reduced: it may have left the answer with what else
    ///   changed, so only reading all of the answer can tell whether that fails.
    private func rows(
        at keys: Set<RowPosition>, of selection: ObservedSelection, _ runner: QueryRunner,
        in snapshot: Snapshot
    ) throws -> [(key: RowPosition, value: QueryResultRow?)]? {
        do {
            return try keys.map { key in
                let row = try runner.item(key, of: selection)
                return (key, try row.map { try self.row($0, at: key, in: snapshot) })
            }
        } catch IndexError.reduceFailed {
            return nil
        }
    }

    /// The places of rows that may be different now.
    private func concerned(
        _ selection: ObservedSelection, by changes: [RowChanges]
    ) throws -> Set<RowPosition> {
        var keys: Set<RowPosition> = []
        for change in changes {
            for row in change.keys {
                for key in try selection.items(ofRow: row) where list.concerns(key) {
                    keys.insert(key)
                }
            }
            guard let shown else { continue }
            for id in change.documentIDs { keys.formUnion(shown.places(of: id)) }
        }
        return keys
    }

    private func load(
        _ selection: ObservedSelection, _ runner: QueryRunner, in snapshot: Snapshot
    ) throws {
        let extent = list.extent
        let found = try runner.items(
            of: selection, skip: extent.skip, countMax: extent.count)
        shown?.removeAll()
        list.load(try items(found, in: snapshot))
    }

    private func items(
        _ found: [QueryRunner.Item], in snapshot: Snapshot
    ) throws -> [OrderedList<QueryResultRow>.Item] {
        try found.map { key, row in
            OrderedList.Item(key: key, value: try self.row(row, at: key, in: snapshot))
        }
    }

    private func row(
        _ row: IndexRow, at key: RowPosition, in snapshot: Snapshot
    ) throws -> QueryResultRow {
        guard let shown else { return QueryResultRow(row) }
        if let id = row.shownDocumentID { shown.add(id, at: key) }
        return QueryResultRow(row, document: try snapshot.document(of: row))
    }
}
