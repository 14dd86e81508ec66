import Settle
import SettleSync

@testable import SettleEntities

/// What may be broken in what devices do, so that the simulation has to find it.
enum Mutant: CaseIterable {
    /// A conflict is resolved by one side.
    case takesServer, takesLocal
    /// The current entries are right, and those that they supersede are gone.
    case dropsLosers
    /// Of each key the entry that is on the server is current.
    case mergesByArrival
    /// Of entries of one moment the device decides, whatever the counters say.
    case ignoresCounters
    /// A deletion counts on the device where it was done, and nowhere else.
    case forgetsDeletions
    /// An edit has the time of the clock, though its device has seen later ones.
    case clockOnly

    /// The handler of conflicts.
    var handler: ConflictHandler {
        switch self {
        case .takesServer: Self.merging { _, theirs in (theirs, []) }
        case .takesLocal: Self.merging { mine, _ in (mine, []) }
        case .dropsLosers: Self.merging { (Self.merged($0, $1).state, []) }
        case .mergesByArrival: Self.choosing { _, theirs in theirs }
        case .ignoresCounters:
            Self.choosing { mine, theirs in
                if mine.stamp.moment != theirs.stamp.moment {
                    return mine.precedes(theirs) ? theirs : mine
                }
                return mine.stamp.device < theirs.stamp.device ? theirs : mine
            }
        case .forgetsDeletions:
            Self.merging { mine, theirs in
                let known = theirs.entries.filter { $0.key != Register.deletion }
                return Self.merged(
                    mine,
                    EntityState(
                        id: theirs.id, first: theirs.first, entries: known,
                        removals: theirs.removals))
            }
        case .clockOnly: .entities
        }
    }

    private typealias Outcome = (state: EntityState, superseded: [(key: String, entry: Entry)])

    private static func merged(_ mine: EntityState, _ theirs: EntityState) -> Outcome {
        var state = mine
        let superseded = state.merge(theirs)
        return (state, superseded)
    }

    /// Merges entry by entry; what was not chosen is history.
    private static func choosing(
        _ choose: @escaping @Sendable (_ mine: Entry, _ theirs: Entry) -> Entry
    ) -> ConflictHandler {
        merging { mine, theirs in
            var superseded: [(key: String, entry: Entry)] = []
            var entries = mine.entries
            for (key, entry) in theirs.entries {
                guard let own = entries[key], own != entry else {
                    entries[key] = entry
                    continue
                }
                let chosen = choose(own, entry)
                entries[key] = chosen
                superseded.append((key, chosen == own ? entry : own))
            }
            let state = EntityState(
                id: mine.id, first: min(mine.first, theirs.first), entries: entries,
                removals: mine.removals.merging(theirs.removals) { max($0, $1) })
            return (state, superseded)
        }
    }

    /// A handler that does all but the merging as that of the entities does.
    private static func merging(
        _ merge: @escaping @Sendable (_ mine: EntityState, _ theirs: EntityState) -> Outcome
    ) -> ConflictHandler {
        ConflictHandler { conflict in
            guard let local = conflict.local, let server = conflict.server,
                let mine = try EntityState(local), let theirs = try EntityState(server)
            else { return await ConflictHandler.entities(conflict) }
            let outcome = merge(mine, theirs)
            var document = local
            outcome.state.write(into: &document)
            let entity = document
            return .useAndAdd(
                document,
                outcome.superseded.map { key, entry in
                    EntryRecord(entity: mine.id, key: key, entry: entry).document(of: entity)
                })
        }
    }
}
