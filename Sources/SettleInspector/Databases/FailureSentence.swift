import Settle
import SettleEntities
import SettleOutbox
import SettleSync

/// What a page says of an error.
enum FailureSentence {
    /// The sentence of an error, without the name of its code where it is one of the package's.
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError: error.message
        case let error as DatastoreError: error.message
        case let error as OutboxError: error.message
        case let error as ReplicationError: error.message
        case let error as JSONError: "\(error)"
        case let problem as PageProblem: problem.message
        default: "\(error)"
        }
    }
}
