import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Which strategy each kind of resource has.
    final class ConflictRules: Sendable {
        private struct State {
            var strategies: [ResourceType: ConflictStrategy] = [:]
            /// Resolvers of documents by the name of the type that they are read as.
            var resolvers: [String: ConflictResolver] = [:]
        }

        private let state = Lock(State())

        var strategies: [ResourceType: ConflictStrategy] {
            get { state.withLock { $0.strategies } }
            set { state.withLock { $0.strategies = newValue } }
        }

        func set(_ strategy: ConflictStrategy, for types: [ResourceType]) {
            state.withLock { state in
                for type in types { state.strategies[type] = strategy }
            }
        }

        func set(_ resolver: @escaping ConflictResolver, forDocuments type: String) {
            state.withLock { $0.resolvers[type] = resolver }
        }

        /// The strategy for a resource.
        ///
        /// - Parameters:
        ///   - type: Its type.
        ///   - content: What it is read as, of a document: a resolver for that comes before the strategy of documents.
        /// - Returns: The strategy.
        func strategy(for type: ResourceType, readAs content: String?) -> ConflictStrategy {
            state.withLock { state in
                if let content, let resolver = state.resolvers[content] { return .custom(resolver) }
                return state.strategies[type] ?? .none
            }
        }
    }
}
