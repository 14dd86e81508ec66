public import Foundation

extension Cosmos {
    /// What a client throws when the service, the network or the caller does not allow what was asked.
    ///
    /// No message holds the contents of a document, a key or a token.
    public struct ClientError: Swift.Error, Sendable, CustomStringConvertible, LocalizedError {
        /// What went wrong, to branch on.
        public let kind: Kind
        /// What happened and what to do, in a sentence.
        public let message: String
        /// The status of the response; nil when there was none.
        public let statusCode: Int?
        /// The finer reason that the service gives beside the status; nil when it gave none.
        public let subStatus: Int?
        /// The service's own name for the request, which its support asks for.
        public let activityId: String?
        /// The request units that the refused request cost.
        public let requestCharge: Double?
        /// How long the service asks to wait before the next try.
        public let retryAfter: Duration?
        /// What lies underneath, such as a ``/SettleSync/ReplicationError`` of the transport or a
        /// `DecodingError`.
        public let baseError: (any Swift.Error)?
        /// Of a conflict: what was to be written; nil for a deletion.
        public internal(set) var local: ResourceBody?
        /// Of a conflict: what the service has; nil when it has nothing, or could not be asked.
        public internal(set) var remote: ResourceBody?
        /// Whether it is certain that nothing was sent.
        var isUnsent = false
        /// Whether an earlier request of the same operation may have been carried out.
        var followsDoubt = false

        /// An error.
        public init(
            _ kind: Kind, _ message: String, statusCode: Int? = nil, subStatus: Int? = nil,
            activityId: String? = nil, requestCharge: Double? = nil, retryAfter: Duration? = nil,
            cause: (any Swift.Error)? = nil
        ) {
            self.kind = kind
            self.message = message
            self.statusCode = statusCode
            self.subStatus = subStatus
            self.activityId = activityId
            self.requestCharge = requestCharge
            self.retryAfter = retryAfter
            baseError = cause
        }

        /// The kind and the message, with the cause where there is one.
        public var description: String {
            let text = "\(kind): \(message)"
            guard let baseError else { return text }
            return "\(text) (\(baseError))"
        }

        /// The message.
        public var errorDescription: String? { message }

        /// The error of a task that was cancelled.
        static let cancelledTask = ClientError(
            .cancelled, "The task was cancelled during a request.")

        /// Whether the device could not reach the service, so that work offline may take over.
        public var isOffline: Bool { kind == .unreachable }

        /// Whether the same request may succeed later without anybody changing anything.
        public var isTransient: Bool {
            switch kind {
            case .unreachable, .tooManyRequests, .retryWith, .requestTimeout, .serviceUnavailable,
                .internalServerError, .gone, .unreadableResponse:
                true
            default: false
            }
        }
    }
}

extension Cosmos.ClientError {
    /// The kinds of errors, most of which have the names of AzureData's `DocumentClientError`.
    ///
    /// More may be added, so a `switch` needs a default.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        private enum Name: String {
            case unknownError, internalError, configureError, invalidId, incompleteIds, badRequest
            case unauthorized, forbidden, notFound, requestTimeout, conflict, preconditionFailed
            case entityTooLarge, tooManyRequests, retryWith, internalServerError
            case serviceUnavailable, permissionError, noMoreResultsError, resourceRequestError
            case noPartitionKeyRange, gone, unreachable, unreadableResponse, invalidDocument
            case cancelled
        }
        private let name: Name

        private init(_ name: Name) { self.name = name }

        /// A status that is not known here.
        public static let unknownError = Kind(.unknownError)
        /// Something here failed that should not, such as a token store.
        public static let internalError = Kind(.internalError)
        /// The client has no account, or its configuration cannot be used.
        public static let configureError = Kind(.configureError)
        /// A resource was to be created with an id that none may have; nothing was sent.
        public static let invalidId = Kind(.invalidId)
        /// A resource was given that the service does not have yet, so that its place is not known.
        public static let incompleteIds = Kind(.incompleteIds)
        /// 400: the request is wrong, such as a query with a fault or a missing partition key.
        public static let badRequest = Kind(.badRequest)
        /// 401: the key or token is not accepted, or the clocks differ by more than 15 minutes.
        public static let unauthorized = Kind(.unauthorized)
        /// 403: the token does not allow this, is expired, or a quota is used up.
        public static let forbidden = Kind(.forbidden)
        /// 404: there is no such resource.
        public static let notFound = Kind(.notFound)
        /// 408: the service did not finish in time.
        public static let requestTimeout = Kind(.requestTimeout)
        /// 409: there is a resource with this id already.
        public static let conflict = Kind(.conflict)
        /// 412: the service has another version than the one that was expected.
        public static let preconditionFailed = Kind(.preconditionFailed)
        /// The same as ``preconditionFailed``, under the name that AzureData has for it.
        public static let preconditionFailure = preconditionFailed
        /// 413: the resource is larger than the service takes (2 MB for a document).
        public static let entityTooLarge = Kind(.entityTooLarge)
        /// 429: the request units are used up, and waiting as long as allowed did not help.
        public static let tooManyRequests = Kind(.tooManyRequests)
        /// 449: the service asks to try again, and doing so as often as allowed did not help.
        public static let retryWith = Kind(.retryWith)
        /// 500 and other failures of the service.
        public static let internalServerError = Kind(.internalServerError)
        /// 503: the service is not available.
        public static let serviceUnavailable = Kind(.serviceUnavailable)
        /// No permission for this could be had from the provider, or the client was configured to read
        /// only; nothing was sent.
        public static let permissionError = Kind(.permissionError)
        /// There is no page after the last.
        public static let noMoreResultsError = Kind(.noMoreResultsError)
        /// An argument has a value that no request can have; nothing was sent.
        public static let resourceRequestError = Kind(.resourceRequestError)
        /// The collection has no partition for this.
        public static let noPartitionKeyRange = Kind(.noPartitionKeyRange)
        /// 410: the range of partition keys is no more; it was split.
        public static let gone = Kind(.gone)
        /// There was no response: the device is offline, or nothing came in time.
        public static let unreachable = Kind(.unreachable)
        /// The response is not what the service answers; something may stand in between.
        public static let unreadableResponse = Kind(.unreadableResponse)
        /// A document cannot be encoded, or not be decoded as the type that was asked for.
        public static let invalidDocument = Kind(.invalidDocument)
        /// The task was cancelled.
        public static let cancelled = Kind(.cancelled)

        /// The kind's name.
        public var description: String { name.rawValue }
    }
}
