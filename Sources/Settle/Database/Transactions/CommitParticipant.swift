import SettlePrimitives
import Synchronization

/// Takes part in the write transactions of a database, with tables of its own.
///
/// For what has to be stored in the same commit as the documents: an outbox, an audit trail, a
/// table of what is looked up otherwise. Its parts are
///
/// - ``willCommit(_:in:)``, called at the end of each closure that concerns it,
/// - side tables (``Transaction/sideTable(named:)``), which commit with the documents,
/// - transaction-local state (``Transaction/localState(of:_:)``), what it keeps while the closure runs,
/// - ``Transaction/afterCommit(_:)``, for what may happen only once all of it is stored.
public protocol CommitParticipant: AnyObject, Sendable {
    /// Called on the writer's thread at the end of each closure that changed documents, or that
    /// have local state of this participant, before it is committed.
    ///
    /// For each run of a closure first the participants that have no local state in it are called, in the
    /// order in which they were added, then those that have, in the order in which they made it.
    /// One whose local state is first made by another participant meanwhile is called a second time.
    ///
    /// It may read, and write side tables. It may be called more than once for the same changes
    /// (when the closure has to run again), so it must keep nothing outside the transaction.
    ///
    /// - Parameters:
    ///   - changes: The changes of the closure, in order; none when there is only local state.
    ///   - transaction: The transaction, valid only during the call.
    /// - Throws: Anything; the write is refused then and the error goes to its caller.
    func willCommit(_ changes: [DocumentChange], in transaction: Transaction) throws
}

extension Transaction {
    /// The transaction-local state of a participant; made at the first call in a run of the closure.
    ///
    /// Every run of the closure has its own. That there is such an object makes the database call
    /// ``CommitParticipant/willCommit(_:in:)`` at the end of the closure, even when it changes no
    /// document, and also when the participant has been removed meanwhile.
    ///
    /// - Parameters:
    ///   - participant: Whose state.
    ///   - make: Makes the object. It is called on the writer's thread.
    /// - Returns: The same object at every call in one run with the same participant.
    /// - Precondition: All calls for one participant are about one type.
    public func localState<State: AnyObject>(
        of participant: some CommitParticipant, _ make: () -> State
    ) -> State {
        let key = ObjectIdentifier(participant)
        if let known = localStates[key] {
            guard let state = known.state as? State else {
                preconditionFailure("A participant has local state of one type.")
            }
            return state
        }
        let made = make()
        localStates[key] = ParticipantLocalState(
            participant: participant, state: made, order: localStates.count)
        return made
    }

    /// Has something done once what this closure has done is stored.
    ///
    /// The actions of one commit run on the writer's thread, in the order of the closures and of
    /// the calls in them, before ``Database/write(_:)`` returns. They must only hand things over. Those
    /// of a closure that fails, or of a run that is done again, never run.
    public func afterCommit(_ action: @escaping @Sendable () -> Void) {
        afterCommit.append(action)
    }

    /// Whether a participant has local state in the closure that is running.
    public func hasLocalState(of participant: any CommitParticipant) -> Bool {
        localStates[ObjectIdentifier(participant)] != nil
    }
}

/// The local state of a participant in a closure.
struct ParticipantLocalState {
    let participant: any CommitParticipant
    let state: AnyObject
    /// Its place among the states of the closure.
    let order: Int
}

/// The participants of a database.
final class ParticipantRegistry: Sendable {
    private let participants = Lock<[any CommitParticipant]>([])

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
