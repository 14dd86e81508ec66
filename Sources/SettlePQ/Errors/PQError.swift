/// What went wrong between this process and PostgreSQL, and what to do about it.
///
/// Never holds what is in a row, nor the password of a connection: PostgreSQL's own sentence is
/// taken over only for the classes of errors whose sentences name no values.
package struct PQError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure a caller may tell apart.
    package enum Code: Sendable, Equatable {
        /// The connection string or URI cannot be read.
        case badConnectionString
        /// No connection was come by: no server, wrong password, too many connections.
        case cannotConnect
        /// The connection ended under way; what its transaction did is undone.
        case connectionLost
        /// The connection ended in `COMMIT`: the transaction may or may not have been stored.
        case commitUnknown
        /// PostgreSQL refused a statement; `state` says why.
        case statement
        /// A value of a result has another type than was asked for, or is null, or is damaged.
        case unexpectedValue
        /// The pool has been closed.
        case closed
    }

    /// The kind of failure.
    package let code: Code
    /// PostgreSQL's five characters for the cause; nil when it did not come to an answer.
    ///
    /// > Source: PostgreSQL 15, Appendix A, "PostgreSQL Error Codes".
    package let state: SQLState?
    /// PostgreSQL's word for how bad it is, not translated: `ERROR`, `FATAL` or `PANIC`.
    package let severity: String?
    /// What happened and what to do, as a sentence.
    package let message: String

    /// Puts an error together.
    package init(
        code: Code, state: SQLState? = nil, severity: String? = nil, message: String
    ) {
        self.code = code
        self.state = state
        self.severity = severity
        self.message = message
    }

    /// The message, with PostgreSQL's code behind it.
    package var description: String {
        guard let state else { return message }
        return "\(message) (\(severity ?? "ERROR") \(state.text))"
    }

    /// Whether the same transaction may succeed when it is run again from its beginning.
    package var isConflict: Bool {
        code == .statement && (state == .serializationFailure || state == .deadlockDetected)
    }
}

/// PostgreSQL's code for the cause of an error: five digits and letters.
package struct SQLState: Sendable, Hashable {
    /// The five characters.
    package let text: String

    /// The state with these characters.
    package init(_ text: String) {
        self.text = text
    }

    /// The first two characters, which name a kind of errors.
    package var errorClass: String { String(text.prefix(2)) }

    /// Another transaction has changed what this one read.
    package static let serializationFailure = SQLState("40001")
    /// Two transactions waited for each other, and this one gave way.
    package static let deadlockDetected = SQLState("40P01")
    /// The statement was cancelled, on request or by its timeout.
    package static let queryCanceled = SQLState("57014")
    /// A row with this key is there already.
    package static let uniqueViolation = SQLState("23505")
    /// There is no table of that name.
    package static let undefinedTable = SQLState("42P01")
    /// Something is larger than PostgreSQL takes.
    package static let programLimitExceeded = SQLState("54000")
    /// A lock was not come by in time.
    package static let lockNotAvailable = SQLState("55P03")
}
