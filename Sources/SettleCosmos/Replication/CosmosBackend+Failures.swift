import SettleSync

extension CosmosBackend {
    /// What a failure of the client is for a replication.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - id: The document that it happened with; nil for none.
    ///   - isOfWrite: Whether it happened with a write. A 403 may come of a permission for other partitions then, so
    ///     that others are still tried.
    /// - Returns: The failure as the replicator knows it.
    func failure(
        _ error: Cosmos.ClientError, of id: String? = nil, isOfWrite: Bool = false
    ) -> ReplicationError {
        let code: ReplicationError.Code
        switch error.kind {
        case .cancelled: code = .cancelled
        case .unreachable: code = .unreachable
        case .tooManyRequests, .retryWith: code = .busy
        case .forbidden where id != nil || isOfWrite: code = .serverFailed
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
        case .entityTooLarge where error.isAboutAccess: return nil
        case .badRequest, .entityTooLarge, .invalidDocument, .invalidId, .resourceRequestError:
            return .rejected(
                RemoteRejection(reason: error.message, statusCode: error.statusCode))
        default: return nil
        }
    }
}
