public import Foundation

/// Why the outbox cannot do what it was asked to.
public struct OutboxError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for code that wants to tell one from another.
    ///
    /// More may be added, so a `switch` needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case alreadyOpen, closed, invalidName, unknownPipeline, unknownType
            case invalidOperation, duplicateOperation, operationNotFound, operationIsActive
            case operationIsNotActive, graphNotFound
            case dependencyCycle, dependencyAcrossPipelines, dependencyOnLaterGraph
            case notCoalescable, invalidTag, invalidLink, invalidNote, documentNotFound
        }

        private let kind: Kind

        /// The database has an open outbox already: close it first, or use it.
        public static let alreadyOpen = Code(kind: .alreadyOpen)
        /// The outbox was closed.
        public static let closed = Code(kind: .closed)
        /// A name of an operation's type, of a pipeline, or of the reason of a hold is empty, too long,
        /// or there twice.
        public static let invalidName = Code(kind: .invalidName)
        /// There is no pipeline of that name.
        public static let unknownPipeline = Code(kind: .unknownPipeline)
        /// The outbox does not know the operation's type.
        public static let unknownType = Code(kind: .unknownType)
        /// The operation cannot be encoded, or is too large (`cause` says why then), or cannot
        /// become one of another type, or is about a document that cannot be.
        public static let invalidOperation = Code(kind: .invalidOperation)
        /// An operation with that identifier is in the outbox.
        public static let duplicateOperation = Code(kind: .duplicateOperation)
        /// No operation with that identifier is in the outbox: it is done, skipped, or never was.
        public static let operationNotFound = Code(kind: .operationNotFound)
        /// The operation is active, so it cannot be changed until it is given back.
        public static let operationIsActive = Code(kind: .operationIsActive)
        /// The operation has not been started, so there is nothing to give back.
        public static let operationIsNotActive = Code(kind: .operationIsNotActive)
        /// The graph has no operation any more, or never had one in that pipeline.
        public static let graphNotFound = Code(kind: .graphNotFound)
        /// Operations would wait for each other, or one for itself.
        public static let dependencyCycle = Code(kind: .dependencyCycle)
        /// Operations of different pipelines cannot depend on each other.
        public static let dependencyAcrossPipelines = Code(kind: .dependencyAcrossPipelines)
        /// An operation would wait for one of a later graph, which starts only after its own.
        public static let dependencyOnLaterGraph = Code(kind: .dependencyOnLaterGraph)
        /// The pipeline's policy does not allow the operation behind the one that is queued.
        public static let notCoalescable = Code(kind: .notCoalescable)
        /// A tag's key, identifier, or value is too long, or the key or identifier empty.
        public static let invalidTag = Code(kind: .invalidTag)
        /// A cloud URI is empty or too long.
        public static let invalidLink = Code(kind: .invalidLink)
        /// A note of an operation has a name that is empty or too long, or a value that JSON cannot
        /// express, or the notes of the operation are together too large.
        public static let invalidNote = Code(kind: .invalidNote)
        /// A document that a cloud URI was attached to is not there at the end of the commit.
        public static let documentNotFound = Code(kind: .documentNotFound)

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do, in a sentence without document contents.
    public let message: String
    /// The operation it happened with, where it happened with one.
    public let operationId: UUID?
    /// What lies underneath.
    public let cause: (any Error)?

    /// An error.
    public init(
        _ code: Code, _ message: String, operationId: UUID? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.operationId = operationId
        self.cause = cause
    }

    /// The code and the message, with the cause when there is one.
    public var description: String {
        let text = "\(code): \(message)"
        guard let cause else { return text }
        return "\(text) (\(cause))"
    }
}

extension OutboxError {
    /// That an operation is not in the outbox.
    static func notFound(_ id: UUID) -> OutboxError {
        OutboxError(
            .operationNotFound,
            "There is no operation \(id) in the outbox: it is done, was skipped, or never was "
                + "there.", operationId: id)
    }

    /// That an operation has been started.
    static func isActive(_ id: UUID) -> OutboxError {
        OutboxError(
            .operationIsActive,
            "The operation \(id) has been started and cannot be changed. Add another one that "
                + "depends on it, or give it back first.", operationId: id)
    }
}

extension OutboxError: LocalizedError {
    /// The message: what happened, to what, and what to do about it.
    public var errorDescription: String? { message }
}
