public import Foundation

/// Why a server does not start, or ended.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    /// The kinds of errors.
    ///
    /// More may be added, so a `switch` needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case invalidConfiguration, directoryUnusable, addressUnusable, alreadyRun, stopped
            case keysUnavailable, copyConflict, storeUnusable, directoryInUse
        }

        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// The name of the code.
        public var description: String { kind.rawValue }

        /// A value of the configuration cannot be used.
        public static let invalidConfiguration = Code(.invalidConfiguration)
        /// The directory cannot be made, read or written.
        public static let directoryUnusable = Code(.directoryUnusable)
        /// Another server, of this process or another, is at work in the directory.
        public static let directoryInUse = Code(.directoryInUse)
        /// The host or port cannot be listened on: in use, not allowed, or unknown.
        public static let addressUnusable = Code(.addressUnusable)
        /// A server runs once; make a new one.
        public static let alreadyRun = Code(.alreadyRun)
        /// The keys for tokens cannot be fetched from their address; it is only logged.
        public static let keysUnavailable = Code(.keysUnavailable)
        /// A copy found changes at its destination that the source does not have.
        public static let copyConflict = Code(.copyConflict)
        /// The store cannot be reached, or is not one that this version can use; a copy between stores
        /// ends with it, too, when one of them is not there any more.
        public static let storeUnusable = Code(.storeUnusable)
        /// The server has ended before it listened.
        public static let stopped = Code(.stopped)
    }

    /// What went wrong, to branch on.
    public let code: Code
    /// What happened, and what to do about it; a sentence for people.
    public let message: String
    /// The error below, if there was one.
    public let cause: (any Error)?

    /// Describes an error.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message, with the code before it.
    public var description: String { "\(code): \(message)" }
}

extension ServerError: LocalizedError {
    /// The message: what happened, to what, and what to do about it.
    public var errorDescription: String? { message }
}
