import SettlePrimitives
import Synchronization

extension Cosmos {
    /// What the app wants to have cached, which it may change at any time.
    final class CacheRules: Sendable {
        private struct State {
            var isOn = true
            var collectionsOff: Set<Link> = []
            var lifetimes: [Link: Duration] = [:]
            var encryptor: (any ResourceEncryptor)?
        }

        private let state: Lock<State>
        private let network: NetworkState
        let configuration: CacheConfiguration

        init(_ configuration: CacheConfiguration, _ network: NetworkState) {
            self.configuration = configuration
            self.network = network
            state = Lock(State(encryptor: configuration.encryptor))
        }

        var isOn: Bool {
            get { state.withLock { $0.isOn } }
            set { state.withLock { $0.isOn = newValue } }
        }

        /// Whether there is a network, as far as the app says so.
        var hasNetwork: Bool { network.isAvailable }

        var encryptor: (any ResourceEncryptor)? {
            get { state.withLock { $0.encryptor } }
            set { state.withLock { $0.encryptor = newValue } }
        }

        func setCached(_ isCached: Bool, _ collection: Link) {
            state.withLock { state in
                if isCached {
                    state.collectionsOff.remove(collection)
                } else {
                    state.collectionsOff.insert(collection)
                }
            }
        }

        func setLifetime(_ lifetime: Duration?, of collection: Link) {
            state.withLock { $0.lifetimes[collection] = lifetime }
        }

        /// Whether resources of a type at or below a link are kept.
        ///
        /// - Parameters:
        ///   - type: The type.
        ///   - link: A link by ids; nil for the account.
        /// - Returns: Whether they are.
        func keeps(_ type: ResourceType, at link: Link?) -> Bool {
            if type == .permission || type == .offer { return false }
            if type == .attachment, !configuration.keepsAttachments { return false }
            return state.withLock { state in
                guard state.isOn else { return false }
                guard let collection = link?.nearest(.collection) else { return true }
                return !state.collectionsOff.contains(collection)
            }
        }

        /// How long a get of what is at a link asks no one; nil for no time.
        func lifetime(at link: Link?, _ options: RequestOptions) -> Duration? {
            if let lifetime = options.cacheLifetime { return lifetime }
            let collection = link?.nearest(.collection)
            return collection.flatMap { collection in
                state.withLock { $0.lifetimes[collection] }
            } ?? configuration.lifetime
        }
    }
}
