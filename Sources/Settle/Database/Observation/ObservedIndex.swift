import SettleIndexing
import SettlePrimitives
import SettleStorage
import Synchronization

/// The observed queries of one index.
///
/// They are brought up to date together, in passes: each reads one snapshot, looks at what changed
/// in the rows since the pass before, and hands it to those queries it concerns. When it is not
/// known what changed (another process has worked on the index, it was rebuilt), the queries are
/// run again and compared.
///
/// The lock guards the state; nothing is called while it is held.
final class ObservedIndex: Sendable {
    private struct State {
        weak var database: Database?
        var queries: [ObjectIdentifier: ObservedQuery] = [:]
        /// What the index went through since the last pass, by the sequence it began at.
        var changes: [UInt64: RowChanges] = [:]
        /// How much is listed in them.
        var changedCount = 0
        /// The definition that those changes are of.
        var changesDefinition: Int?
        var position: Position?
    }

    /// Up to where the queries are brought.
    private struct Position: Equatable {
        let definition: Int
        let slot: Int
        let sequence: UInt64
    }

    /// What one pass found.
    private enum Outcome {
        case done
        case behind(UInt64)
    }

    let name: String
    private let state: Lock<State>

    /// When changes that wait for a pass list more than this, they are forgotten, and all is read
    /// again.
    static let changedCountMax = 1 << 16

    init(_ name: String, in database: Database) {
        self.name = name
        var state = State()
        state.database = database
        self.state = Lock(state)
    }

    var isEmpty: Bool { state.withLock { $0.queries.isEmpty } }

    func add(_ query: ObservedQuery) {
        state.withLock { $0.queries[ObjectIdentifier(query.list)] = query }
    }

    func remove(_ list: LiveList) {
        _ = state.withLock { $0.queries.removeValue(forKey: ObjectIdentifier(list)) }
    }

    /// Everyone who observes.
    var lists: [LiveList] { state.withLock { $0.queries.values.map(\.list) } }

    /// Takes what happened to the rows.
    func add(_ rows: RowChanges, of definition: Int) {
        state.withLock { state in
            let isOther = state.changesDefinition != definition
            if isOther || state.changedCount + rows.count > Self.changedCountMax {
                state.changes = [:]
                state.changedCount = 0
            }
            state.changesDefinition = definition
            if rows.count > Self.changedCountMax { return }
            let replaced = state.changes.updateValue(rows, forKey: rows.base)
            state.changedCount += rows.count - (replaced?.count ?? 0)
        }
    }

    /// How much is listed in the changes that wait for a pass.
    var changedCount: Int { state.withLock { $0.changedCount } }

    /// Brings the queries up to date.
    func update() async {
        guard let database = state.withLock({ $0.database }) else { return }
        do {
            var target: UInt64?
            while true {
                let entry = try database.currentEntry(named: name)
                let outcome = try database.read(named: "observed queries of \(name)") {
                    try update(entry, in: $0, atLeast: target)
                }
                guard case .behind(let sequence) = outcome else { return }
                // Writers may outrun the index for ever: up to where it was is enough.
                target = target ?? sequence
                do {
                    try await database.bringUpToDate(entry, to: sequence)
                } catch let error as DatabaseError where error.code == .indexChanged {
                    target = nil
                }
            }
        } catch let error as DatabaseError where error.code == .databaseClosed {
            // Whoever closes the database ends the observations, which is no failure of theirs.
        } catch {
            for list in lists { list.fail(error) }
        }
    }

    private func update(
        _ entry: IndexRegistry.Entry, in snapshot: Snapshot, atLeast target: UInt64?
    ) throws -> Outcome {
        let definition = entry.definition
        let wanted = target ?? snapshot.sequence
        let view = try DatabaseError.translating {
            try IndexReader(of: name, fitting: definition, in: snapshot.base)
        }
        guard let view, isGoodEnough(view, for: definition, at: wanted, snapshot) else {
            return .behind(wanted)
        }
        let here = Position(
            definition: entry.number, slot: view.slot, sequence: view.state.sequence)
        let (queries, changes) = state.withLock { state in
            defer { state.position = here }
            return (Array(state.queries.values), Self.take(&state, to: here))
        }
        let runner = try DatabaseError.translating {
            try QueryRunner(definition, slot: view.slot, state: view.state, in: snapshot.base)
        }
        for query in queries {
            query.update(
                with: changes, of: entry, runner, in: snapshot, sequence: here.sequence)
        }
        return .done
    }

    /// Whether the rows can be shown.
    ///
    /// A database that is only read cannot bring them up to date; whoever writes it does.
    private func isGoodEnough(
        _ view: IndexReader, for definition: IndexDefinition, at sequence: UInt64,
        _ snapshot: Snapshot
    ) -> Bool {
        if view.isCurrent(at: sequence) { return true }
        return snapshot.database.configuration.isReadOnly && view.fits && view.state.isWhole
    }

    /// What happened to the rows from the last pass to this one; nil when that is not known.
    private static func take(_ state: inout State, to here: Position) -> [RowChanges]? {
        defer {
            state.changes = state.changes.filter { $0.key >= here.sequence }
            state.changedCount = state.changes.values.reduce(0) { $0 + $1.count }
        }
        guard let position = state.position, position.definition == here.definition,
            position.slot == here.slot
        else { return nil }
        var taken: [RowChanges] = []
        var sequence = position.sequence
        while sequence < here.sequence {
            guard state.changesDefinition == here.definition,
                let change = state.changes[sequence], change.slot == here.slot,
                change.reached > sequence
            else { return nil }
            taken.append(change)
            sequence = change.reached
        }
        return sequence == here.sequence ? taken : nil
    }
}

extension RowChanges {
    /// How much is listed in it.
    fileprivate var count: Int { 1 + keys.count + documentIDs.count }
}
