public import Foundation

/// Why a replication failed.
///
/// Back-ends throw the codes `unauthorized`, `unreachable`, `serverFailed`, `busy`,
/// `protocolViolation`, `responseTooLarge`, `misconfigured` and `cancelled`.
public struct ReplicationError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for code that wants to tell one from another.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case unauthorized, unreachable, serverFailed, busy, protocolViolation
            case responseTooLarge, misconfigured, cancelled
            case stoppedByConflictHandler, localFailure, pendingOperations, heldBack
        }

        private let kind: Kind

        /// The remote refuses the token, also a fresh one: it is missing, forged or expired.
        public static let unauthorized = Code(kind: .unauthorized)
        /// No answer: no connection, a connection that broke, a time-out.
        public static let unreachable = Code(kind: .unreachable)
        /// The remote answered that it failed; trying again may help.
        public static let serverFailed = Code(kind: .serverFailed)
        /// The remote is overloaded or limits the rate; ``ReplicationError/retryAfter`` says when to try again.
        public static let busy = Code(kind: .busy)
        /// The answer makes no sense: another kind of content, or cut off.
        public static let protocolViolation = Code(kind: .protocolViolation)
        /// The answer is larger than what is taken; the rest of it was not read.
        public static let responseTooLarge = Code(kind: .responseTooLarge)
        /// The address, the options or the remote's set-up are wrong; trying again does not help.
        public static let misconfigured = Code(kind: .misconfigured)
        /// The task was cancelled.
        public static let cancelled = Code(kind: .cancelled)
        /// A conflict handler answered `.stop`.
        public static let stoppedByConflictHandler = Code(kind: .stoppedByConflictHandler)
        /// The database here could not be read or written; `cause` says why.
        public static let localFailure = Code(kind: .localFailure)

        /// A purge would lose a pending change or a conflict that is not resolved.
        public static let pendingOperations = Code(kind: .pendingOperations)

        /// What comes before it in the order of commits was not acknowledged by another remote.
        public static let heldBack = Code(kind: .heldBack)

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do, in a sentence without document contents.
    public let message: String
    /// How long to wait before the next request, if the remote said so.
    public let retryAfter: Duration?
    /// The document it happened with, where it happened with one.
    public let documentId: String?
    /// What lies underneath.
    public let cause: (any Error)?
    /// The status of the answer that it was, where it was an answer with one.
    public let statusCode: Int?
    /// The body of that answer, at most ``RemoteRejection/bodySizeMax`` bytes of it.
    ///
    /// It may hold what users wrote: it is not logged.
    public let responseBody: Data?
    /// Whether it is certain that nothing of the request was sent, so that it cannot have been carried out.
    package var isUnsent = false

    /// An error.
    public init(
        _ code: Code, _ message: String, retryAfter: Duration? = nil, documentId: String? = nil,
        cause: (any Error)? = nil, statusCode: Int? = nil, responseBody: Data? = nil
    ) {
        self.statusCode = statusCode
        self.responseBody = responseBody.map { Data($0.prefix(RemoteRejection.bodySizeMax)) }
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.documentId = documentId
        self.cause = cause
    }

    /// Whether the same attempt may succeed later without anybody changing anything.
    public var isRetryable: Bool {
        code == .unreachable || code == .serverFailed || code == .busy
            || code == .protocolViolation
    }

    /// Whether the failure may lie with one document alone, so that others are still tried.
    var mayConcernOneDocument: Bool {
        code == .serverFailed || code == .protocolViolation || code == .responseTooLarge
    }

    /// The code and the message, with the cause when there is one.
    public var description: String {
        let text = "\(code): \(message)"
        guard let cause else { return text }
        return "\(text) (\(cause))"
    }
}

extension ReplicationError: LocalizedError {
    /// The message: what happened, to what, and what to do about it.
    public var errorDescription: String? { message }
}
