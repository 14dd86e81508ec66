import Foundation
import SettleDocuments

extension Cosmos {
    /// Where a reader of a change feed is, in each part of a collection.
    struct ChangePosition: Sendable, Hashable {
        /// What is read by itself: the service keeps an order of changes in each.
        enum Scope: Sendable, Hashable {
            /// A physical partition, by the id of its range.
            case range(String)
            /// A logical partition.
            case key(PartitionKey)
        }

        /// How far a part was read.
        enum Place: Sendable, Hashable {
            /// Not yet: its changes from the first one on come.
            case beginning
            /// Not yet: what changes from now on comes.
            case now
            /// Not yet: what changed since a time comes, in seconds since 1970.
            case since(Int64)
            /// Up to what the service calls so.
            case after(String)
        }

        struct Part: Sendable, Hashable {
            var scope: Scope
            var place: Place
            /// What was seen of the collection by then: the service's session token.
            ///
            /// A reader in another process asks for no less, since a replica that lags knows nothing of what was
            /// read before.
            var session: String?
            /// Whether it may have more at the moment.
            var isPending = true
        }

        /// The identifier of the collection.
        var collectionId: String
        /// The parts; the one that is read next is the first that is pending.
        var parts: [Part]

        /// Whether no part has more at the moment, as far as is known.
        var isCaughtUp: Bool { !parts.contains(where: \.isPending) }

        /// Begins another round over all parts.
        mutating func begin() {
            for index in parts.indices { parts[index].isPending = true }
        }

        /// Puts parts behind the others, so that those have their turn.
        ///
        /// - Parameter indexes: Which, ascending.
        mutating func moveBack(_ indexes: [Int]) {
            let moved = indexes.map { parts[$0] }
            for index in indexes.reversed() { parts.remove(at: index) }
            parts += moved
        }

        /// Puts the ranges there are now in the place of those that were split or merged.
        ///
        /// The children of a split go on where their parent was: all changes of a child are behind the same place
        /// in the order that it took over. What was merged of several is read from the beginning, since their
        /// orders are not comparable.
        ///
        /// - Parameter ranges: All ranges of the collection.
        mutating func follow(_ ranges: [PartitionRange]) {
            var known: [String: Part] = [:]
            for part in parts {
                guard case .range(let id) = part.scope else { return }
                known[id] = part
            }
            guard Set(known.keys) != Set(ranges.map(\.id)) else { return }
            let order = parts.compactMap { part -> String? in
                if case .range(let id) = part.scope { id } else { nil }
            }
            let followed = ranges.map { range -> (rank: Int, part: Part) in
                let isKnown = known[range.id] != nil
                let ancestors = isKnown ? [range.id] : range.parents.filter { known[$0] != nil }
                guard ancestors.count == 1, let ancestor = ancestors.first,
                    let part = known[ancestor]
                else { return (order.count, Part(scope: .range(range.id), place: .beginning)) }
                let isPending = part.isPending || ancestor != range.id
                return (
                    order.firstIndex(of: ancestor) ?? order.count,
                    Part(
                        scope: .range(range.id), place: part.place, session: part.session,
                        isPending: isPending)
                )
            }
            // A stable order, so that the turn of each stays what it was.
            parts = followed.enumerated()
                .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
                .map(\.element.part)
        }
    }
}
