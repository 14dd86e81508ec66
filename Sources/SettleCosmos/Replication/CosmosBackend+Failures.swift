import SettleSync

extension CosmosBackend {
    /// What a failure of the client is for a replication.
    func failure(_ error: Cosmos.ClientError, of id: String? = nil) -> ReplicationError {
        let code: ReplicationError.Code
        switch error.kind {
        case .cancelled: code = .cancelled
        case .unreachable: code = .unreachable
        case .tooManyRequests, .retryWith: code = .busy
        case .unauthorized, .permissionError, .forbidden: code = .unauthorized
        case .notFound where !error.isAbsence: code = .serverFailed
        case .configureError, .notFound, .invalidId: code = .misconfigured
        case .badRequest, .resourceRequestError: code = .misconfigured
        case .unreadableResponse: code = .protocolViolation
        default: code = .serverFailed
        }
        var message = error.message
        if error.isAbsence {
            message +=
                " Check that there is a collection '\(collection)' in this account; the replication does not make one."
        }
        return ReplicationError(
            code, message, retryAfter: error.retryAfter, documentId: id, cause: error.baseError,
            statusCode: error.statusCode)
    }

    /// What became of an operation that the service refused for good; nil when it did not, or it is not the
    /// operation's fault.
    func rejection(_ error: Cosmos.ClientError) -> RemoteOutcome? {
        switch error.kind {
        case .badRequest, .entityTooLarge, .invalidDocument, .invalidId, .resourceRequestError:
            return .rejected(
                RemoteRejection(reason: error.message, statusCode: error.statusCode))
        case .forbidden
        where error.subStatus != 3 && error.subStatus != 1008 && error.subStatus != 1013:
            return .rejected(
                RemoteRejection(reason: error.message, statusCode: error.statusCode))
        default: return nil
        }
    }
}

extension Cosmos.ClientError {
    /// Whether there is no such resource: not when a replica only lags behind the session.
    var isAbsence: Bool { kind == .notFound && subStatus != 1002 }
}
