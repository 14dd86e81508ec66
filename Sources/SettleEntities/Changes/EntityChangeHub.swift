import Settle
import SettlePrimitives
import Synchronization

/// Finds what each commit changes in entities, whoever makes it, and hands it to those who listen.
///
/// It takes part in every commit of its database, but looks at whole documents only while somebody listens. There is one for
/// each database, and it holds none. A lock guards the listeners and the classes; nothing is called while it is held.
final class EntityChangeHub: CommitParticipant {
    /// What an operation of the datastore says of its commit.
    final class Operation {
        let action: EntityChanges.Action
        /// Where the changes are kept until they are told as one.
        let collector: ChangeCollector?

        init(_ action: EntityChanges.Action, _ collector: ChangeCollector?) {
            self.action = action
            self.collector = collector
        }
    }

    struct State {
        var streams: [Int: AsyncStream<EntityChanges>.Continuation] = [:]
        var nextStream = 0
        var classes = ReferenceClasses()
        var pruning: PruneRule?
        /// What replications brought that is to be looked at, and who looks.
        var arrived: Set<String> = []
        var pruner: Task<Void, Never>?
        /// Whether the index of the database is the datastore's, and who adds it now.
        var hasIndexed = false
        var indexing: Task<Void, any Error>?
        var isEndAwaited = false
        var isFinished = false
    }

    let state = Lock(State())

    /// Registers classes for the types that they are for.
    ///
    /// - Precondition: No other class is registered for one of the types.
    func register(_ classes: [CustomReference.Type]) {
        state.withLock { state in
            for each in classes {
                let type = each.staticType.rawValue
                precondition(
                    state.classes.byType[type].map { $0 == each } ?? true,
                    "One class of references is registered for the type '\(type)'.")
                state.classes.byType[type] = each
            }
        }
    }

    /// The classes that are registered by now.
    var classes: ReferenceClasses { state.withLock { $0.classes } }

    /// A resolved reference of the class that is registered for its type.
    func reference(_ resolved: ReferenceCore.Resolved) -> EntityReference {
        classes.reference(resolved)
    }

    /// The changes from now on.
    func stream(of database: Database) -> AsyncStream<EntityChanges> {
        let (stream, continuation) = AsyncStream<EntityChanges>.makeStream()
        let (number, awaitsEnd) = state.withLock { state -> (Int?, Bool) in
            if state.isFinished { return (nil, false) }
            state.nextStream += 1
            state.streams[state.nextStream] = continuation
            defer { state.isEndAwaited = true }
            return (state.nextStream, !state.isEndAwaited)
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.streams[number] = nil }
        }
        if awaitsEnd { awaitEnd(of: database) }
        return stream
    }

    /// Ends the streams when the database is closed.
    private func awaitEnd(of database: Database) {
        let commits = database.commits
        Task { [weak self] in
            for await _ in commits {}
            let streams = self?.state.withLock { state in
                state.isFinished = true
                return state.streams.values.map { $0 }
            }
            for stream in streams ?? [] { stream.finish() }
        }
    }

    var hasListeners: Bool { state.withLock { !$0.streams.isEmpty } }

    func publish(_ changes: EntityChanges) {
        guard !changes.isEmpty else { return }
        let streams = state.withLock { $0.streams.values.map { $0 } }
        for stream in streams { stream.yield(changes) }
    }

    func willCommit(_ changes: [DocumentChange], in transaction: Transaction) throws {
        tidyLater(changes, in: transaction)
        guard !changes.isEmpty, hasListeners else { return }
        let operation: Operation? =
            transaction.hasLocalState(of: self)
            ? transaction.localState(of: self) { Operation(.update, nil) } : nil
        var found = EntityChanges(action: operation?.action ?? .update)
        var seen: Set<String> = []
        for change in changes where seen.insert(change.documentId).inserted {
            guard !change.documentId.utf8.starts(with: EntryIdentifier.prefix.utf8) else {
                continue
            }
            try find(change, in: transaction, &found)
        }
        guard !found.isEmpty else { return }
        if operation == nil, found.changed.isEmpty {
            if found.added.isEmpty { found.action = .delete }
            if found.deleted.isEmpty { found.action = .add }
        }
        let collector = operation?.collector
        transaction.afterCommit { [weak self, found] in
            if let collector { collector.add(found) } else { self?.publish(found) }
        }
    }

    private func find(
        _ change: DocumentChange, in transaction: Transaction, _ found: inout EntityChanges
    ) throws {
        // What cannot be read is told of by whoever asks for it.
        let before = try transaction.previous(change.documentId).flatMap { try? EntityState($0) }
        let after = try transaction.document(change.documentId).flatMap { try? EntityState($0) }
        let (was, isThere) = (
            before.map { !$0.isDeleted } ?? false, after.map { !$0.isDeleted } ?? false
        )
        guard let shown = isThere ? after : before, was || isThere else { return }
        let keys = Set(shown.keys).union(before?.keys ?? []).filter { key in
            before?.value(of: key) != after?.value(of: key) || was != isThere
        }
        guard was != isThere || !keys.isEmpty else { return }
        let reference = reference(ReferenceCore.Resolved(shown, properties: PropertyDictionary()))
        switch (was, isThere) {
        case (false, _): found.added.insert(reference)
        case (true, false): found.deleted.insert(reference)
        case (true, true): found.changed.insert(reference)
        }
        found.keys.formUnion(keys.map { PropertyKey($0) })
        if change.isFromReplication { found.isFromReplication = true }
    }
}

/// Keeps changes until they are told as one.
final class ChangeCollector: Sendable {
    private let changes: Lock<EntityChanges>

    init(_ action: EntityChanges.Action) {
        changes = Lock(EntityChanges(action: action))
    }

    var all: EntityChanges { changes.withLock { $0 } }

    func add(_ later: EntityChanges) {
        changes.withLock { $0.merge(later) }
    }
}
