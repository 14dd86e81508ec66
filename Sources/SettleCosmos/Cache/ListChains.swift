import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Puts the pages of a list together, so that what a whole list does not have any more is found.
    final class ListChains: Sendable {
        /// The pages of one list so far.
        struct Chain {
            /// What they have.
            var names: NameSet
            /// How many writes there were before the first was asked for.
            var writeCount: UInt64
        }

        /// Where a page begins.
        private struct Place: Hashable {
            var list: String
            var continuation: String
        }

        private let chains = Lock<[Place: Chain]>([:])
        /// The most names of a list that are remembered; of a longer one nothing is found to be gone.
        static let nameCountMax = 10_000
        private static let chainCountMax = 16

        /// Forgets all.
        func removeAll() { chains.withLock { $0 = [:] } }

        /// Adds a page.
        ///
        /// - Parameters:
        ///   - names: What it has.
        ///   - list: What was listed.
        ///   - continuation: Where the page begins; nil for the first.
        ///   - next: Where the next page begins; nil after the last.
        ///   - writeCount: How many writes there were before it was asked for.
        /// - Returns: The whole list, when this is its last page and all before are known.
        func add(
            _ names: [ResourceName], of list: String, at continuation: String?, next: String?,
            writeCount: UInt64
        ) -> Chain? {
            chains.withLock { chains in
                var chain = Chain(names: NameSet(), writeCount: writeCount)
                if let continuation {
                    let place = Place(list: list, continuation: continuation)
                    guard let before = chains.removeValue(forKey: place) else { return nil }
                    chain = before
                }
                for name in names { chain.names.insert(name) }
                guard let next else { return chain }
                if chain.names.count > Self.nameCountMax { return nil }
                if chains.count >= Self.chainCountMax { chains = [:] }
                chains[Place(list: list, continuation: next)] = chain
                return nil
            }
        }
    }

    /// A set of names of which only the hashes are in memory.
    ///
    /// One in 10^15 of those that are looked for in a long list seems to be there and is not: a copy is kept, or a write that
    /// waits not shown, until the list is read again.
    struct NameSet: Sendable {
        private var hashes: Set<Int> = []

        var count: Int { hashes.count }

        func contains(_ name: ResourceName) -> Bool { hashes.contains(name.hashValue) }

        /// Adds a name.
        ///
        /// - Returns: False when it was there.
        @discardableResult
        mutating func insert(_ name: ResourceName) -> Bool {
            hashes.insert(name.hashValue).inserted
        }
    }
}
