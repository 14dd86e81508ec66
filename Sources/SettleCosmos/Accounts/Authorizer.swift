import SettleREST
import SettleSync
import SettleTableProtocol

extension Cosmos {
    /// Gives requests the header that lets them in.
    protocol Authorizer: Sendable {
        /// The value of the header `authorization`.
        ///
        /// - Throws: ``ClientError`` with `permissionError` when nothing allows the request.
        func authorization(for request: SignedRequest) async throws(ClientError) -> String

        /// Another value in place of one that the service refused; nil when there is none.
        ///
        /// - Throws: As ``authorization(for:)``.
        func authorization(
            for request: SignedRequest, replacing refused: String
        ) async throws(ClientError) -> String?
    }

    /// Signs with the key of the account.
    struct MasterKeyAuthorizer: Authorizer {
        let key: MasterKey
        let mode: PermissionMode

        func authorization(for request: SignedRequest) throws(ClientError) -> String {
            guard mode.includes(request.mode) else {
                throw ClientError(
                    .permissionError,
                    "Nothing was sent: the client is configured to read only. Configure it with the "
                        + "permission mode 'all' to write.")
            }
            return PercentEncoding.encoded("type=master&ver=1.0&sig=\(key.signature(of: request))")
        }

        func authorization(
            for request: SignedRequest, replacing refused: String
        ) -> String? { nil }
    }

    /// Hands in tokens of Microsoft Entra.
    struct BearerAuthorizer: Authorizer {
        private let tokens: TokenKeeper

        init(_ provider: any TokenProvider) { tokens = TokenKeeper(provider) }

        func authorization(for request: SignedRequest) async throws(ClientError) -> String {
            do throws(ReplicationError) {
                return try Self.header(await tokens.token())
            } catch {
                throw Self.failure(error)
            }
        }

        func authorization(
            for request: SignedRequest, replacing refused: String
        ) async throws(ClientError) -> String? {
            do throws(ReplicationError) {
                let current = try await tokens.token()
                let header = try Self.header(current)
                // Another request may have fetched a fresh one meanwhile.
                guard header == refused else { return header }
                guard let fresh = try await tokens.token(replacing: current) else { return nil }
                return try Self.header(fresh)
            } catch {
                throw Self.failure(error)
            }
        }

        private static func header(_ token: String?) throws(ReplicationError) -> String {
            guard let token, !token.isEmpty else {
                throw ReplicationError(.unauthorized, "The provider has no token.")
            }
            return PercentEncoding.encoded("type=aad&ver=1.0&sig=\(token)")
        }

        private static func failure(_ error: ReplicationError) -> ClientError {
            let kind: ClientError.Kind =
                switch error.code {
                case .cancelled: .cancelled
                case .unreachable: .unreachable
                default: .permissionError
                }
            return ClientError(
                kind, "No token of Microsoft Entra could be had. \(error.message)", cause: error)
        }
    }
}
