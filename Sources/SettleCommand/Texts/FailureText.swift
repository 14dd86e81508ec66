import Foundation
import Settle
import SettleEntities
import SettleServer
import SettleOutbox
import SettleSync

/// What an error says to the one at the terminal.
enum FailureText {
    /// A sentence for any error.
    static func sentence(for error: any Error) -> String {
        switch error {
        case let error as DatabaseError: error.message
        case let error as CommandFailure: error.description
        case let error as ReplicationError: replication(error)
        case let error as OutboxError: error.message
        case let error as DatastoreError: error.message
        case let error as ServerError: error.message
        case let error as JSONError: error.description
        case is CancellationError: "Interrupted."
        default: other(error)
        }
    }

    private static func replication(_ error: ReplicationError) -> String {
        // Of what happened here the cause is what helps; of the network the message says it all.
        guard error.code == .localFailure, let cause = error.cause else { return error.message }
        return "\(error.message) \(sentence(for: cause))"
    }

    private static func other(_ error: any Error) -> String {
        // Foundation's errors describe themselves for programmers; ours for everybody.
        type(of: error) is NSError.Type || error is CocoaError
            ? error.localizedDescription : "\(error)"
    }
}
