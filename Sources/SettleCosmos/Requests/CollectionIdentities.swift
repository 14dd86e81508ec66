import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Which collection stands under each name, as the service's responses tell: another program may delete one and make
    /// it anew, with other documents, another order of writes, and other partition keys.
    final class CollectionIdentities: Sendable {
        private let known = Lock<[Link: Link]>([:])

        /// The self link of the collection with a name, as a response has told it last; nil when none has.
        func identity(of name: Link) -> Link? { known.withLock { $0[name] } }

        /// Notes which collection stands under a name.
        ///
        /// - Parameters:
        ///   - identity: Its self link.
        ///   - name: Its link by ids.
        /// - Returns: Whether it is another one than before.
        func note(_ identity: Link, of name: Link) -> Bool {
            known.withLock { known in
                defer { known[name] = identity }
                return known[name].map { $0 != identity } ?? false
            }
        }
    }
}
