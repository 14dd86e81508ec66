import SettleIndexing
import SettlePrimitives
import SettleStorage
import Synchronization

/// Brings the indexes that are observed up to date in the commits that change the documents.
///
/// So an observed query is answered from rows that are there already, and no second commit is
/// needed. It works on the writer's thread. Indexes that are further behind than a commit of usual
/// size, or that cannot be written, are left to the passes of the observers.
///
/// The lock guards the state; nothing is called while it is held.
final class IndexFollower: Sendable {
    /// What a commit changed in the rows of an index.
    struct Followed: Sendable {
        let name: String
        /// The number of the definition they are of.
        let definition: Int
        let rows: RowChanges
    }

    private struct State {
        weak var database: Database?
        var names: Set<String> = []
        /// The definitions that could not be followed.
        var givenUp: Set<Int> = []
        /// How often in a row each definition could not be followed.
        var failureCounts: [Int: Int] = [:]
        /// What the transaction that is under way has done.
        var pending: [Followed] = []
    }
    private let state = Lock(State())

    /// After how many failures in a row an index is given up.
    ///
    /// More than one, because the file may have been too small: it has grown when the commit is
    /// tried again.
    private static let failureCountMax = 4
    /// The most changes that are mapped within a commit.
    private static let changeCountMax = 1_000

    func attach(_ database: Database) {
        state.withLock { $0.database = database }
    }

    /// Begins to follow an index.
    func add(_ name: String) {
        _ = state.withLock { $0.names.insert(name) }
    }

    /// Ends to follow an index.
    func remove(_ name: String) {
        _ = state.withLock { $0.names.remove(name) }
    }

    /// Does its part of a commit, on the writer's thread.
    ///
    /// - Throws: What went wrong with one index; that one is given up.
    func follow(_ transaction: StoreTransaction) throws {
        let (database, names, givenUp) = state.withLock { state in
            state.pending = []
            return (state.database, state.names, state.givenUp)
        }
        guard let database, !names.isEmpty else { return }
        for name in names {
            guard let entry = database.indexes.entryIfThere(named: name),
                !givenUp.contains(entry.number)
            else { continue }
            do {
                let rows = try database.indexEngine.follow(
                    entry.definition, countMax: Self.changeCountMax, in: transaction)
                guard let rows else { continue }
                let followed = Followed(name: name, definition: entry.number, rows: rows)
                state.withLock { state in
                    state.pending.append(followed)
                    state.failureCounts[entry.number] = nil
                }
            } catch {
                state.withLock { state in
                    state.failureCounts[entry.number, default: 0] += 1
                    if state.failureCounts[entry.number] == Self.failureCountMax {
                        state.givenUp.insert(entry.number)
                    }
                }
                throw error
            }
        }
    }

    /// What the commit that has just been made has done; on the writer's thread.
    func takeFollowed() -> [Followed] {
        state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
    }
}
