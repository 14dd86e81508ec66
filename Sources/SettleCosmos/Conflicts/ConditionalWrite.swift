extension Cosmos {
    /// A replace, patch or delete that depends on a version, and what happens when there is another.
    struct ConditionalWrite: Sendable {
        /// What is to be written, without a condition.
        let operation: Operation
        /// What is to be written as JSON; nil for a deletion and a patch.
        let local: ResourceBody?
        /// The version that was handed in; nil for none.
        let etag: String?
        let strategy: ConflictStrategy
        /// Whether it waits on this device, and is tried again when the service does not say what it has; otherwise the
        /// conflict fails then, without that.
        var isQueued = false

        /// The most times that a resolver is asked.
        static let attemptsMax = 10

        /// Carries it out.
        ///
        /// - Returns: The response of the service; of one that gave way to the service's version, status 200 with that.
        /// - Throws: ``ClientError`` with `preconditionFailed`, which shows both versions, where the strategy does not
        ///   resolve the conflict, and without that of the service where it cannot be read now; and as the service
        ///   answers.
        func perform(by handler: any OperationHandler) async throws(ClientError)
            -> OperationResponse
        {
            var operation = operation
            operation.ifMatch = condition
            var attempt = 1
            while true {
                do {
                    return try await handler.perform(operation)
                } catch {
                    guard error.kind == .preconditionFailed else { throw error }
                    var failure = error
                    failure.local = local
                    let read = try await readRemote(by: handler)
                    failure.remote = read?.resource
                    guard let read, let remote = read.resource,
                        case .automatic = operation.options.condition
                    else { throw failure }
                    switch strategy {
                    case .none, .mineWins: throw failure
                    case .latestWins: return read
                    case .custom(let resolver):
                        guard attempt <= Self.attemptsMax, operation.action != .patch else {
                            throw failure
                        }
                        attempt += 1
                        try await resolve(&operation, remote, resolver, failure)
                    }
                }
            }
        }

        private var condition: String? {
            switch operation.options.condition {
            case .none: return nil
            case .matches(let etag): return etag
            case .automatic:
                if case .mineWins = strategy { return nil }
                return etag
            }
        }

        /// What the service has now; nil when it has nothing any more, or does not say.
        private func readRemote(
            by handler: any OperationHandler
        ) async throws(ClientError) -> OperationResponse? {
            var read = Operation(.get, operation.type, at: operation.link)
            read.partition = operation.partition
            read.needsService = true
            do {
                return try await handler.perform(read)
            } catch {
                if error.isAbsence { return nil }
                if !isQueued, error.isTransient || error.kind == .notFound { return nil }
                throw error
            }
        }

        private func resolve(
            _ operation: inout Operation, _ remote: ResourceBody, _ resolver: ConflictResolver,
            _ failure: ClientError
        ) async throws(ClientError) {
            let resolved: ResourceBody?
            do {
                resolved = try await resolver(local, remote)
            } catch {
                if error is CancellationError { throw .cancelledTask }
                throw failure.caused(by: error)
            }
            operation.action = resolved == nil ? .delete : .replace
            operation.body = resolved.map { .json($0.packed) } ?? .none
            operation.ifMatch = remote.etag
        }
    }
}

extension Cosmos.ClientError {
    /// The error with a cause.
    fileprivate func caused(by cause: any Swift.Error) -> Cosmos.ClientError {
        var error = Cosmos.ClientError(
            kind, message, statusCode: statusCode, subStatus: subStatus, activityId: activityId,
            requestCharge: requestCharge, retryAfter: retryAfter, cause: cause)
        error.local = local
        error.remote = remote
        return error
    }
}
