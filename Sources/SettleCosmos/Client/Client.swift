import Foundation
import SettlePrimitives
public import SettleREST
import Synchronization

extension Cosmos {
    /// A client of one account.
    ///
    /// ```swift
    /// let cosmos = Cosmos.Client(cache: Cosmos.CacheConfiguration(folder: folder))
    /// try cosmos.configure(forAccountAt: url, withMasterKey: key, withPermissionMode: .all)
    /// try await cosmos.create(databaseWithId: "crm")
    /// ```
    ///
    /// Every call is a request, unless its documentation says otherwise, and throws ``ClientError``: `unreachable`
    /// without a response, `cancelled` when the task was cancelled, and otherwise as the service answers. A client
    /// can be used from any number of tasks.
    public final class Client: Sendable {
        private let state: Lock<Session?>
        private let settings: Settings
        let conflicts = ConflictRules()
        /// What is to be cached; nil without a cache.
        let rules: CacheRules?
        /// Whether there is a network, as far as the app says so.
        let network = NetworkState()

        /// What a client is made with, whatever account it is configured for.
        struct Settings: Sendable {
            var transport: any HTTPTransport
            var retries: RetryPolicy
            var clock: any Clock<Duration>
            var now: @Sendable () -> Date
            /// Where what the service sends is kept; nil for nowhere.
            var cache: CacheConfiguration?
        }

        /// What a client has while it is configured.
        struct Session: Sendable {
            var account: Account
            /// What carries out operations by the service alone.
            var service: any OperationHandler
            /// What carries out operations, where there is one with what this device keeps.
            var handler: any OperationHandler
            var partitionKeys: PartitionKeys
            /// The handler, where it keeps what the service sends; nil without a cache.
            var offline: OfflineHandler?
        }

        /// A client that is not configured yet.
        ///
        /// - Parameters:
        ///   - transport: The way to the service; nil for a ``/SettleREST/URLSessionTransport``.
        ///   - retries: How often it tries again by itself.
        ///   - cache: Where what the service sends is kept, to work offline; nil to keep nothing.
        public convenience init(
            transport: (any HTTPTransport)? = nil, retries: RetryPolicy = RetryPolicy(),
            cache: CacheConfiguration? = CacheConfiguration()
        ) {
            self.init(
                settings: Settings(
                    transport: transport ?? URLSessionTransport(), retries: retries,
                    clock: ContinuousClock(), now: { Date() }, cache: cache))
        }

        /// A client with clocks of its own.
        init(settings: Settings) {
            state = Lock(nil)
            self.settings = settings
            rules = settings.cache.map { [network] in CacheRules($0, network) }
        }

        deinit { offline?.stop() }

        /// A client of an account.
        ///
        /// - Parameters:
        ///   - account: The account.
        ///   - credentials: What lets it in.
        ///   - transport: The way to the service; nil for a ``/SettleREST/URLSessionTransport``.
        ///   - retries: How often it tries again by itself.
        ///   - cache: Where what the service sends is kept, to work offline; nil to keep nothing.
        public convenience init(
            account: Account, credentials: Credentials, transport: (any HTTPTransport)? = nil,
            retries: RetryPolicy = RetryPolicy(), cache: CacheConfiguration? = CacheConfiguration()
        ) {
            self.init(transport: transport, retries: retries, cache: cache)
            configure(for: account, with: credentials)
        }

        /// Configures the client for an account, in place of the one it had.
        ///
        /// Calls that are under way end with the old one. Writes that an earlier process has left in the cache of the
        /// account are sent from now on, unless ``isNetworkAvailable`` or ``offlineDataEnabled`` is false.
        ///
        /// - Parameters:
        ///   - account: The account.
        ///   - credentials: What lets the client in.
        public func configure(for account: Account, with credentials: Credentials) {
            let authorizer: any Authorizer =
                switch credentials {
                case .masterKey(let key, let mode): MasterKeyAuthorizer(key: key, mode: mode)
                case .permissions(let provider, let store):
                    PermissionAuthorizer(
                        provider, account: account.name, store: store, now: settings.now)
                case .bearer(let provider): BearerAuthorizer(provider)
                }
            let identities = CollectionIdentities()
            let pipeline = RequestPipeline(
                account: account, authorizer: authorizer, transport: settings.transport,
                retries: settings.retries, clock: settings.clock, now: settings.now,
                sessions: SessionTokens(), identities: identities)
            // What is kept on the device stands before what puts results together of several partitions.
            let service = NetworkGate(service: QueryMerging(pipeline), network: network)
            let offline = rules.map { rules in
                OfflineHandler(
                    service: service, rules: rules,
                    folder: rules.configuration.folder(of: account), conflicts: conflicts,
                    clock: settings.clock, now: settings.now, mayWrite: credentials.mayWrite,
                    identities: identities)
            }
            let keys = PartitionKeys(identities)
            end(
                replacedBy: Session(
                    account: account, service: service,
                    handler: KeyRenewal(handler: offline ?? service, keys: keys),
                    partitionKeys: keys, offline: offline))
            offline?.begin()
        }

        private func end(replacedBy session: Session?) {
            let old = state.withLock { state in
                defer { state = session }
                return state
            }
            old?.offline?.stop()
        }

        /// What stands before the service; nil without a cache, and before the client is configured.
        var offline: OfflineHandler? { state.withLock { $0?.offline } }

        /// Whether the client has an account.
        public var isConfigured: Bool { state.withLock { $0 != nil } }

        /// The address of the account; nil before the client is configured.
        public var account: Account? { state.withLock { $0?.account } }

        /// Forgets account, keys and tokens; calls throw `configureError` from now on.
        ///
        /// Tokens in a ``TokenStore`` of the app stay there, and what this device keeps of the account stays as well; see
        /// ``purgeEverythingOffline()``.
        public func reset() { end(replacedBy: nil) }

        /// What the client has now.
        ///
        /// - Throws: ``ClientError`` with `configureError` before it is configured.
        @discardableResult
        func session() throws(ClientError) -> Session {
            guard let session = state.withLock({ $0 }) else {
                throw ClientError(
                    .configureError,
                    "The client has no account yet; configure it before the first call.")
            }
            return session
        }

        /// Carries out an operation.
        func perform(_ operation: Operation) async throws(ClientError) -> OperationResponse {
            try await session().handler.perform(operation)
        }
    }
}
