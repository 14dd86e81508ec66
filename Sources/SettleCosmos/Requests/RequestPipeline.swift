import Foundation
import HTTPTypes
import SettleDocuments
import SettleREST
import SettleSync
import SettleTableProtocol

extension Cosmos {
    /// Carries out operations by the service: authorizes, sends, waits and tries again, reads responses.
    struct RequestPipeline: OperationHandler {
        let account: Account
        let authorizer: any Authorizer
        let transport: any HTTPTransport
        let retries: RetryPolicy
        let clock: any Clock<Duration>
        let now: @Sendable () -> Date
        /// What this client has seen of each collection.
        let sessions: SessionTokens
        /// Which collection stands under each name.
        let identities: CollectionIdentities

        func perform(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            let request = try WireRequest(operation)
            var operation = operation
            var state = RetryState(retries)
            var isInDoubt = false
            var isRenewed = false
            while true {
                do {
                    return try await attempt(request, operation)
                } catch {
                    var error = error
                    isInDoubt = isInDoubt || !error.leavesNothing
                    error.followsDoubt = isInDoubt
                    let wait = state.wait(
                        after: error, isRepeatable: operation.isRepeatable,
                        namesRange: operation.namesRange)
                    if let wait {
                        try await sleep(for: wait)
                        continue
                    }
                    guard !isRenewed, error.mayMeanAnotherCollection,
                        await isMadeAnew(operation)
                    else { throw error }
                    isRenewed = true
                    operation.seenSession = nil
                }
            }
        }

        /// Whether another collection stands under the name than the one that was seen before.
        ///
        /// What was seen of the old one is forgotten then. A replica that only lags behind is no reason for that: who
        /// read on without the session would see less than before.
        private func isMadeAnew(_ operation: Operation) async -> Bool {
            guard operation.options.sessionToken == nil, let collection = operation.collection,
                let before = identities.identity(of: collection)
            else { return false }
            let read = Operation(.get, .collection, at: collection)
            guard let request = try? WireRequest(read),
                (try? await attempt(request, read)) != nil
            else { return false }
            return identities.identity(of: collection) != before
        }

        private func sleep(for wait: Duration) async throws(ClientError) {
            do {
                try await clock.sleep(for: wait)
            } catch {
                throw .cancelledTask
            }
        }

        /// Sends a request, with a fresh token once more when the first is refused.
        private func attempt(
            _ request: WireRequest, _ operation: Operation
        ) async throws(ClientError) -> OperationResponse {
            var signed = request.signed
            signed.date = HTTPDate.text(of: Int64(now().timeIntervalSince1970.rounded(.down)))
            let header = try await authorizer.authorization(for: signed)
            var response = try await send(request, operation, signed.date, header)
            if response.head.status.code == 401 || response.isAboutExpiry,
                let fresh = try await authorizer.authorization(for: signed, replacing: header)
            {
                response = try await send(request, operation, signed.date, fresh)
            }
            return try read(response, operation)
        }

        private func send(
            _ request: WireRequest, _ operation: Operation, _ date: String, _ authorization: String
        ) async throws(ClientError) -> FullHTTPResponse {
            var fields = request.fields
            fields[.cosmosDate] = date
            fields[.authorization] = authorization
            fields[.sessionToken] = session(of: operation)
            guard HTTPField.isValidValue(authorization) else {
                throw ClientError(
                    .permissionError, "The token has characters that no header can carry.")
            }
            let head = HTTPRequest(
                method: request.method, scheme: account.scheme, authority: account.authority,
                path: request.path, headerFields: fields)
            do throws(ReplicationError) {
                return try await transport.send(
                    head, body: request.body, bodySizeMax: Self.responseSizeMax)
            } catch {
                throw ClientError(error, to: operation.subject)
            }
        }

        /// The largest body of a response, in bytes: a page of 1,000 items has 4 MB, attachments have 2 GB at
        /// the most and are in memory.
        private static let responseSizeMax = 64 << 20

        private func session(of operation: Operation) -> String? {
            if let given = operation.options.sessionToken { return given }
            guard let collection = operation.collection else { return nil }
            if let seen = operation.seenSession { sessions.keep(seen, for: [collection]) }
            // What a collection is, and its partitions, are not read from the replicas of a session.
            if operation.type == .collection || operation.type == .partitionKeyRange { return nil }
            switch operation.options.consistencyLevel {
            case nil, .session: return sessions.token(for: collection)
            case .strong, .boundedStaleness, .consistentPrefix, .eventual: return nil
            }
        }

        private func read(
            _ response: FullHTTPResponse, _ operation: Operation
        ) throws(ClientError) -> OperationResponse {
            let metadata = ResponseMetadata(response.head.headerFields)
            let status = response.head.status.code
            noteIdentity(inHeadersOf: response, metadata, operation)
            keepSession(metadata, response, operation, status)
            guard (200..<300).contains(status) || status == 304 else {
                throw ClientError(response, to: operation.subject)
            }
            if status == 207, operation.action != .batch {
                throw ClientError(response, to: operation.subject)
            }
            let read = OperationResponse(
                status: status, metadata: metadata,
                content: status == 304
                    ? .none : try ResponseReader(operation, metadata).content(of: response))
            if operation.type == .collection, let name = operation.itemLink,
                let identity = read.resource?.selfLink
            {
                note(identity, of: name)
            }
            if status == 207, let failure = throttling(read) { throw failure }
            return read
        }

        /// The failure of a batch of which one operation was throttled; nothing was carried out then, and it is sent
        /// again as a request is that was throttled as a whole.
        private func throttling(_ response: OperationResponse) -> ClientError? {
            guard case .feed(let elements, _) = response.content,
                let failure = ClientError(
                    ofBatch: elements.map { BatchResult($0) }, response.metadata),
                failure.kind == .tooManyRequests || failure.kind == .retryWith
            else { return nil }
            return failure
        }

        private func noteIdentity(
            inHeadersOf response: FullHTTPResponse, _ metadata: ResponseMetadata,
            _ operation: Operation
        ) {
            guard let identity = Self.identity(in: response) else { return }
            let named = metadata.alternateContentPath.flatMap { Link($0, isByResourceIds: false) }
            let asked = operation.collection.flatMap { $0.isByResourceIds ? nil : $0 }
            if let name = asked ?? named?.nearest(.collection) { note(identity, of: name) }
        }

        /// Notes which collection stands under a name, and forgets what was seen of another one.
        private func note(_ identity: Link, of name: Link) {
            if identities.note(identity, of: name) { sessions.forget(name) }
        }

        /// The self link of the collection that a response is about.
        private static func identity(in response: FullHTTPResponse) -> Link? {
            response.head.headerFields[.contentPath].flatMap { ResourceIdentifier($0) }?
                .selfLink?.nearest(.collection)
        }

        private func keepSession(
            _ metadata: ResponseMetadata, _ response: FullHTTPResponse, _ operation: Operation,
            _ status: Int
        ) {
            if operation.type == .collection || operation.type == .database,
                operation.action == .delete, status < 300, let link = operation.link
            {
                sessions.forget(link)
            }
            guard let token = metadata.sessionToken, let collection = operation.collection else {
                return
            }
            var names: Set<Link> = [collection]
            if let path = metadata.alternateContentPath.flatMap({ Link($0, isByResourceIds: false) }
            ),
                let name = path.nearest(.collection)
            {
                names.insert(name)
            }
            if let name = Self.identity(in: response) { names.insert(name) }
            sessions.keep(token, for: Array(names))
        }
    }
}

extension FullHTTPResponse {
    /// Whether a token is refused because its time is over.
    fileprivate var isAboutExpiry: Bool {
        guard head.status.code == 403, body.count < 16 << 10 else { return false }
        return String(decoding: body, as: UTF8.self).lowercased().contains("expired")
    }
}
