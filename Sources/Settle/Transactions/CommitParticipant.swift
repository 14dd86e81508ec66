import Synchronization

/// Takes part in every write transaction of a database that changes documents.
///
/// For what has to be stored in the same commit as the documents: an outbox, an audit trail.
public protocol CommitParticipant: AnyObject, Sendable {
    /// Called on the writer's thread at the end of each closure that changed documents, before it
    /// is committed.
    ///
    /// It may read, and write side tables. It may be called more than once for the same changes
    /// (when the closure has to run again), so it must keep nothing outside the transaction.
    ///
    /// - Parameters:
    ///   - changes: The changes of the closure, in order.
    ///   - transaction: The transaction, valid only during the call.
    /// - Throws: Anything; the write is refused then and the error goes to its caller.
    func willCommit(_ changes: [DocumentChange], in transaction: Transaction) throws
}

/// The participants of a database.
final class ParticipantRegistry: Sendable {
    private let participants = Mutex<[any CommitParticipant]>([])

    var all: [any CommitParticipant] { participants.withLock { $0 } }

    func add(_ participant: any CommitParticipant) {
        participants.withLock { participants in
            if !participants.contains(where: { $0 === participant }) {
                participants.append(participant)
            }
        }
    }

    func remove(_ participant: any CommitParticipant) {
        participants.withLock { $0.removeAll { $0 === participant } }
    }
}
