import Settle
import SettlePQ
import SettleServer

/// What the errors of PostgreSQL mean to the server above.
enum StoreFailure {
    /// Runs a body and gives its errors of PostgreSQL the form that the server knows.
    ///
    /// - Throws: ``Problem`` 503 when trying again later may help, 422 for a text with a U+0000,
    ///   which PostgreSQL does not take; ``DatabaseError`` with
    ///   `diskFull`, or with `inputOutput` for all that an administrator must look at; other
    ///   errors of `body` as they are.
    static func translating<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as PQError {
            throw translated(error)
        }
    }

    /// The server's error for one of PostgreSQL's.
    static func translated(_ error: PQError) -> any Error {
        switch error.code {
        case .closed: return Problem.stopping
        case .commitUnknown:
            return unavailable(
                "The connection to the database was lost while the change was being stored; it "
                    + "may or may not be there. Read the item before changing it again.")
        case .cannotConnect, .connectionLost:
            return unavailable("The database cannot be reached just now; try again later.")
        case .statement where error.state?.text == "53100":
            return DatabaseError(.diskFull, "PostgreSQL's disk is full.", cause: error)
        case .statement where error.state?.text == "22021":
            // It has that status.
            var problem = Problem.contentDiffers
            problem.message =
                "An id or a name has a U+0000 in it, which the database does not take; leave it out."
            return problem
        case .statement where isTransient(error):
            return unavailable("The database is too busy just now; try again later.")
        case .statement, .unexpectedValue, .badConnectionString:
            return DatabaseError(.inputOutput, error.description, cause: error)
        }
    }

    /// A problem 503, after which the sender may try again.
    static func unavailable(_ message: String) -> Problem {
        // It has that status.
        var problem = Problem.stopping
        problem.message = message
        return problem
    }

    /// The error of a start, which its caller shows to an administrator: always with the cause.
    static func atStart(_ error: PQError) -> DatabaseError {
        DatabaseError(.inputOutput, error.description, cause: error)
    }

    /// Conflicts that did not end, timeouts, too many connections, a server that is stopping.
    static func isTransient(_ error: PQError) -> Bool {
        guard let state = error.state else { return false }
        return ["40", "53", "57"].contains(state.errorClass) || state == .lockNotAvailable
    }

    /// The error of a table whose row was removed while the server ran.
    static let tableGone = DatabaseError(
        .corrupted,
        "The row of the table in settle.tables is gone; restore a backup, or restart the server "
            + "if the table was removed on purpose.")

    /// The error of a row that the store did not write.
    static func damagedItem(_ id: String) -> DatabaseError {
        DatabaseError(
            .corrupted,
            "The row of the item '\(id)' in settle.items was not written by the server; restore a "
                + "backup.", documentId: id)
    }
}
