import Dispatch
import Settle

extension Datastore {
    /// What is changed in the entities from now on, one element for each commit.
    ///
    /// Changes of this process, whoever makes them: operations, replications, an import as one. Every call gives a stream
    /// of its own, which ends when the database is closed. Elements that are not read wait in memory, with a reference for
    /// each entity; who may fall behind observes the database instead.
    ///
    /// Cost: while there is a stream, commits read the entities that they change before and after.
    public func changes() -> AsyncStream<EntityChanges> {
        hub.stream(of: database)
    }

    /// Calls a closure with what is changed in the entities from now on, on the database's completion queue, in order.
    ///
    /// - Parameter handler: Called with the changes of each commit; see ``changes()``.
    /// - Returns: The observation, which ends with ``EntityObserver/cancel()``, and when it is released.
    public func observeChanges(
        _ handler: @escaping @Sendable (EntityChanges) -> Void
    ) -> EntityObserver {
        let (changes, queue) = (changes(), database.completionQueue)
        return EntityObserver(
            Task {
                for await change in changes {
                    await withCheckedContinuation { continuation in
                        queue.async {
                            if !Task.isCancelled { handler(change) }
                            continuation.resume()
                        }
                    }
                }
            })
    }
}

/// An observation of changes; keep it as long as it is to last.
public final class EntityObserver: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    deinit { task.cancel() }

    /// Ends the observation.
    ///
    /// A call that is under way is not waited for.
    public func cancel() {
        task.cancel()
    }
}
