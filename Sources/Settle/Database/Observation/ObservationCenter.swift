import SettleIndexing
import SettlePrimitives
import SettleStorage
import Synchronization

/// Everything that is observed in a database, and who brings it up to date.
///
/// The lock guards the state. Only the signal is called while it is held, which calls nobody
/// while it holds its own.
final class ObservationCenter: Sendable {
    private struct Group<Observed: Sendable>: Sendable {
        let observed: Observed
        let loop: WakeUpLoop
    }
    private struct State {
        weak var database: Database?
        var indexes: [String: Group<ObservedIndex>] = [:]
        var documents: Group<ObservedDocuments>?
        /// What the signal knows us by; nil while nothing is observed.
        var listener: UInt64?
        /// What has to stop when an observation ends, by its list.
        var tasks: [ObjectIdentifier: Task<Void, Never>] = [:]
        var isClosed = false

        var isIdle: Bool { indexes.isEmpty && documents == nil }
    }
    private let state = Lock(State())
    private let signal: CommitSignal
    /// Keeps the observed indexes up to date.
    let follower = IndexFollower()

    init(_ signal: CommitSignal) {
        self.signal = signal
    }

    func attach(_ database: Database) {
        state.withLock { $0.database = database }
        follower.attach(database)
    }

    /// Begins to observe a query.
    ///
    /// - Returns: The rows, delivered from now on.
    /// - Throws: ``DatabaseError`` with `indexNotFound`, `unsupportedQuery`, `databaseClosed`.
    func observe(
        _ parameters: any QueryParameters, of index: String
    ) throws(DatabaseError) -> LiveList {
        guard let database = state.withLock({ $0.database }) else {
            throw DatabaseError(StorageError.closed)
        }
        let query = try ObservedQuery(parameters, of: try database.knownEntry(named: index))
        let loop = state.withLock { state -> WakeUpLoop? in
            guard !state.isClosed else { return nil }
            let group =
                state.indexes[index]
                ?? {
                    let observed = ObservedIndex(index, in: database)
                    return Group(
                        observed: observed, loop: WakeUpLoop { await observed.update() })
                }()
            group.observed.add(query)
            state.indexes[index] = group
            follower.add(index)
            listen(&state)
            return group.loop
        }
        guard let loop else { throw DatabaseError(StorageError.closed) }
        loop.wake()
        return query.list
    }

    /// Begins to observe documents.
    ///
    /// - Returns: The documents as rows, delivered from now on.
    /// - Throws: ``DatabaseError`` with `databaseClosed`.
    func observe(_ choice: DocumentChoice) throws(DatabaseError) -> LiveList {
        let observation = ObservedChoice(choice)
        let loop = state.withLock { state -> WakeUpLoop? in
            guard !state.isClosed, let database = state.database else { return nil }
            let group =
                state.documents
                ?? {
                    let observed = ObservedDocuments(in: database)
                    return Group(
                        observed: observed, loop: WakeUpLoop { await observed.update() })
                }()
            group.observed.add(observation)
            state.documents = group
            listen(&state)
            return group.loop
        }
        guard let loop else { throw DatabaseError(StorageError.closed) }
        loop.wake()
        return observation.list
    }

    /// Has a task cancelled when an observation ends or the database is closed, in the place of the
    /// one before.
    func cancel(_ task: Task<Void, Never>, atEndOf list: LiveList) {
        let isOver = state.withLock { state in
            if !state.isClosed { state.tasks[ObjectIdentifier(list)] = task }
            return state.isClosed
        }
        if isOver { task.cancel() }
    }

    /// Ends an observation.
    func end(_ list: LiveList) {
        list.buffer.end()
        let task = state.withLock { state in
            for (name, group) in state.indexes {
                group.observed.remove(list)
                guard group.observed.isEmpty else { continue }
                group.loop.end()
                state.indexes[name] = nil
                follower.remove(name)
            }
            if let group = state.documents {
                group.observed.remove(list)
                if group.observed.isEmpty {
                    group.loop.end()
                    state.documents = nil
                }
            }
            if state.isIdle, let listener = state.listener {
                signal.removeListener(listener)
                state.listener = nil
            }
            return state.tasks.removeValue(forKey: ObjectIdentifier(list))
        }
        task?.cancel()
    }

    /// Takes over what the commit that has just been made did to the indexes; on the writer's
    /// thread.
    func published() {
        for followed in follower.takeFollowed() {
            applied(followed.rows, to: followed.name, of: followed.definition)
        }
    }

    /// Takes over what somebody of this process did to the rows of an index.
    func applied(_ rows: RowChanges, to index: String, of definition: Int) {
        let group = state.withLock { $0.indexes[index] }
        group?.observed.add(rows, of: definition)
    }

    /// Has everything looked at again: documents were changed, or an index was replaced.
    func wake() {
        let loops = state.withLock { state in
            state.indexes.values.map(\.loop) + (state.documents.map { [$0.loop] } ?? [])
        }
        for loop in loops { loop.wake() }
    }

    /// Ends every observation, for good.
    func close() {
        let (lists, loops, tasks) = state.withLock { state in
            state.isClosed = true
            defer {
                state.indexes = [:]
                state.documents = nil
                state.tasks = [:]
                if let listener = state.listener { signal.removeListener(listener) }
                state.listener = nil
            }
            let groups = state.indexes.values
            return (
                groups.flatMap(\.observed.lists) + (state.documents?.observed.lists ?? []),
                groups.map(\.loop) + (state.documents.map { [$0.loop] } ?? []),
                Array(state.tasks.values)
            )
        }
        for loop in loops { loop.end() }
        for list in lists { list.buffer.end() }
        for task in tasks { task.cancel() }
    }

    private func listen(_ state: inout State) {
        guard state.listener == nil else { return }
        state.listener = signal.addListener { [weak self] _ in self?.wake() }
    }
}
