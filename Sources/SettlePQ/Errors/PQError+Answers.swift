internal import CPQ

extension PQError {
    /// The classes of errors whose sentence names no values of rows: what it quotes are names of
    /// things in the schema, and the text of statements, which hold no values here.
    private static let classesToQuote: Set<String> = [
        "08", "0A", "23", "25", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58", "F0",
        "XX",
    ]

    /// The error that PostgreSQL's answer tells of.
    ///
    /// - Parameters:
    ///   - result: An answer that is none of success.
    ///   - isConnectionLost: Whether the connection ended with it.
    init(answer result: OpaquePointer?, isConnectionLost: Bool) {
        let state = Self.field("C", of: result).map(SQLState.init)
        let severity = Self.field("V", of: result)
        let sentence = Self.field("M", of: result) ?? ""
        let message: String
        if let state {
            message =
                Self.classesToQuote.contains(state.errorClass)
                ? "PostgreSQL refused a statement: \(sentence)."
                : "PostgreSQL refused a statement for a value in it."
        } else {
            message =
                "The connection to PostgreSQL was lost; what was under way is undone. Try again."
        }
        self.init(
            code: isConnectionLost || state == nil ? .connectionLost : .statement, state: state,
            severity: severity, message: message)
    }

    /// The error of a connection that was not come by.
    ///
    /// The reason is in libpq's words; they name the server and the user, never the password.
    static func cannotConnect(_ reason: String) -> PQError {
        let lines = reason.split(whereSeparator: \.isNewline).map { line in
            line.drop { $0.isWhitespace }
        }
        return PQError(
            code: .cannotConnect,
            message: "There is no connection to PostgreSQL: \(lines.joined(separator: "; ")).")
    }

    /// The error of a COMMIT whose answer did not come.
    static var commitUnknown: PQError {
        PQError(
            code: .commitUnknown,
            message: "The connection to PostgreSQL was lost while a transaction was being "
                + "committed: it may or may not have been stored. Read before writing again.")
    }

    /// The error of a statement that was not begun because nobody waits for it any more.
    static var cancelled: PQError {
        PQError(
            code: .statement, state: .queryCanceled, severity: "ERROR",
            message: "The statement was cancelled before it was begun.")
    }

    /// The error of a statement that was not sent because its parameters are too large.
    static func tooLarge(_ byteCount: Int) -> PQError {
        PQError(
            code: .statement, state: .programLimitExceeded, severity: "ERROR",
            message: "The values of a statement have \(byteCount) bytes, and PostgreSQL takes less "
                + "than 1 GiB at once; send less.")
    }

    /// The error of a value that is not what was asked for.
    static func unexpectedValue(_ column: Int, _ expected: String) -> PQError {
        PQError(
            code: .unexpectedValue,
            message: "Column \(column) of a result is not \(expected); the schema in the database "
                + "is not the one this program made.")
    }

    private static func field(_ name: Unicode.Scalar, of result: OpaquePointer?) -> String? {
        guard let result, let text = PQresultErrorField(result, Int32(name.value)) else {
            return nil
        }
        return String(cString: text)
    }
}
