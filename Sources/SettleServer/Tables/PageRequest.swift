import SettleOData
import SettleTableProtocol

/// What a list of items shall hold.
struct PageRequest: Sendable, Equatable {
    var filter: ODataNode?
    /// The sort keys; the id breaks ties, and alone makes the order when there are none.
    var order: [ODataSortKey] = []
    /// The names to send of each item; nil for all.
    var selection: Set<String>?
    /// How many items to leave out at the start.
    var skip = 0
    /// How many items to send at most.
    var top: Int
    /// Whether all items that match are counted too.
    var isCounted = false
    /// Whether deleted items are among them.
    var includesDeleted = false
    /// Whether items that have left the reader's channels are reported, when they come in the
    /// order of `updatedAt`, deleted ones too, as in a pull.
    var reportsChannelRemovals = false
    /// Where the page before ended; items up to there are left out before `skip` counts.
    var after: PagePosition?
}

extension PageRequest {
    /// How the items can be walked so that they come in the wanted order.
    enum Walk: Sendable, Equatable {
        /// By id, in the store's own order.
        case byId
        /// By `updatedAt`, in the order of the timeline.
        case byUpdatedAt
        /// In any order; they have to be collected and sorted.
        case sorted
    }

    /// The walk for the order.
    ///
    /// No two items of a table have the same `updatedAt`, and no two the same id, so whatever
    /// stands behind one of them in the order changes nothing.
    var walk: Walk {
        guard let first = order.first else { return .byId }
        guard !first.isDescending else { return .sorted }
        if first.expression == ODataNode.updatedAt { return .byUpdatedAt }
        if first.expression == .path([SystemColumn.id.rawValue]) { return .byId }
        return .sorted
    }
}

/// One page of a list.
struct Page: Sendable, Equatable {
    var items: [TableItem]
    /// How many items match in all, on this page or not; nil when that was not asked for.
    var count: Int?
    /// Where the page ends, when more items follow; nil at the end of the list.
    var end: PagePosition?
}
