import Settle
import Synchronization

extension EntityChangeHub {
    /// Gives a database the index of entities, once, however many tasks open a datastore over it.
    ///
    /// - Throws: ``DatastoreError`` with `indexExists`; ``/Settle/DatabaseError`` as `Database.addIndex(_:progress:)`.
    func addIndex(to database: Database) async throws {
        let isThere = database.indexNames.contains(EntityIndex.name)
        let task = try state.withLock { state -> Task<Void, any Error>? in
            if let running = state.indexing { return running }
            guard !isThere || state.hasIndexed else {
                throw DatastoreError(
                    .indexExists,
                    "The database '\(database.configuration.name)' has an index '\(EntityIndex.name)' that is not the datastore's. "
                        + "Give that one another name.")
            }
            if isThere { return nil }
            state.hasIndexed = true
            let task = Task { try await Self.addMissingIndex(to: database) }
            state.indexing = task
            return task
        }
        guard let task else { return }
        defer {
            state.withLock { state in
                if state.indexing == task { state.indexing = nil }
            }
        }
        try await task.value
    }

    private static func addMissingIndex(to database: Database) async throws {
        do {
            try await database.addIndex(EntityIndex.index)
        } catch let error as DatabaseError where error.code == .readOnly {
            // It is known by now; what needs it says that it is behind.
        }
    }
}
