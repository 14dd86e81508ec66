import Settle

/// Picks the items of one page out of a walk over many.
///
/// When the walk comes in the order of the request, only the items of the page are kept. Otherwise
/// the best so far are kept, in a list that is cut whenever it is twice as long as can matter.
struct PageCollector {
    let request: PageRequest
    private let identity: Identity
    /// Whether the items come in the order of the request.
    private let isOrdered: Bool
    private var kept: [(position: PagePosition, item: TableItem)] = []
    private var count = 0

    init(request: PageRequest, identity: Identity, isOrdered: Bool) {
        self.request = request
        self.identity = identity
        self.isOrdered = isOrdered
    }

    /// How many items can matter: those that are skipped, the page, and one to know of more.
    private var needed: Int {
        let (sum, overflow) = request.skip.addingReportingOverflow(request.top + 1)
        return overflow ? .max : sum
    }

    /// Whether no further item of an ordered walk can change the page.
    var isFull: Bool {
        isOrdered && !request.isCounted && kept.count >= needed
    }

    /// Whether further items of an ordered walk are only counted, and every one of them counts, so
    /// that they need not be read.
    var countsUnseen: Bool {
        isOrdered && kept.count >= needed && request.filter == nil && identity.channels == nil
    }

    /// Counts an item that was not read.
    mutating func countUnseen() {
        count += 1
    }

    /// Looks at an item; keeps it when it belongs to the list.
    ///
    /// - Throws: ``ODataError`` when the filter makes a string longer than the limit.
    mutating func collect(_ item: TableItem) throws(ODataError) {
        guard request.includesDeleted || !item.isDeleted, identity.maySee(item) else { return }
        if let filter = request.filter {
            guard try ODataEvaluator.isTrue(filter, for: item) else { return }
        }
        count += 1
        let position = try PagePosition(of: item, in: request.order)
        if let after = request.after, !after.precedes(position, in: request.order) { return }
        if isOrdered, kept.count >= needed { return }
        kept.append((position, item))
        if !isOrdered, kept.count / 2 > max(needed, Self.keptMin) {
            sort()
            kept.removeLast(kept.count - needed)
        }
    }

    /// Below this many items a list is not worth cutting.
    private static let keptMin = 1000

    private mutating func sort() {
        let order = request.order
        kept.sort { $0.position.precedes($1.position, in: order) }
    }

    /// The page, after the walk.
    mutating func page() -> Page {
        if !isOrdered { sort() }
        let rest = kept.dropFirst(request.skip)
        let items = rest.prefix(request.top)
        // A page without room has no last item, so there is no place where it ends.
        let hasMore = rest.count > items.count
        return Page(
            items: items.map(\.item), count: request.isCounted ? count : nil,
            end: hasMore ? items.last?.position : nil)
    }
}
