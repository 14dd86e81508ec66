import HTTPTypes
import Hummingbird

extension TableResponder {
    /// Who sends a request to a table, and what of it is theirs.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - path: A path of a table.
    ///   - address: Where it comes from.
    /// - Returns: The subject, with the channels to read and to write in this table.
    /// - Throws: ``Problem`` 401 when the token is missing or not good, 405 when the rules do not
    ///   let anybody do this to the table, 429 when the sender has made too many requests.
    func identity(
        of request: Request, at path: RoutePath, from address: String?
    ) async throws(Problem) -> Identity {
        guard let table = path.table else { return .unlimited }
        let stranger = SenderKey(subject: nil, address: address)
        var identity: Identity
        do {
            let sender = try await authenticator.sender(of: request.headers)
            let key = SenderKey(subject: sender.subject, address: address)
            try count(key)
            identity = try access.identity(of: sender, in: table)
            identity.sender = key
            identity.expires = sender.expires
        } catch {
            if error.status == .unauthorized {
                metrics.tokenFailed()
                try count(stranger)
            }
            throw error
        }
        guard path.isOpen(to: request.method, identity.operations) else {
            throw TableOperation.problem(
                request.method,
                allowing: (path.route?.methods ?? []).filter {
                    path.isOpen(to: $0, identity.operations)
                })
        }
        return identity
    }

    private func count(_ key: SenderKey) throws(Problem) {
        guard let seconds = limiter?.take(key) else { return }
        metrics.rateLimited()
        throw Problem(
            .tooManyRequests,
            "Too many requests have come from you; try again in \(seconds) s.",
            headers: [.retryAfter: "\(seconds)"])
    }
}

extension RoutePath {
    /// The table of the path.
    fileprivate var table: TableName? {
        switch self {
        case .table(let name), .batch(let name), .changes(let name), .item(let name, _),
            .content(let name, _), .attachment(let name, _, _):
            name
        case .description, .health, .readiness, .metrics, .unknown: nil
        }
    }

    /// Whether a table takes a method here; a batch is looked at operation by operation.
    fileprivate func isOpen(
        to method: HTTPRequest.Method, _ operations: Set<TableOperation>
    ) -> Bool {
        switch (self, method) {
        case (.table, .post): operations.contains(.insert)
        case (.item, .post): operations.contains(.undelete)
        case (.item, .patch), (.item, .put): operations.contains(.update)
        case (.item, .delete): operations.contains(.delete)
        case (.content, _): !operations.isDisjoint(with: [.insert, .update])
        case (.batch, _): operations != [.read] && !operations.isEmpty
        default: operations.contains(.read)
        }
    }
}
