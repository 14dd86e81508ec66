import Settle
import SettleOData

/// Picks the items of one page out of a walk over many.
///
/// When the walk comes in the order of the request, only the items of the page are kept. Otherwise
/// the positions of the best so far are kept, in a list that is cut whenever it is twice as long as
/// can matter, or takes twice the memory it may; the items of the page are read again at the end.
struct PageCollector {
    let request: PageRequest
    private let identity: Identity
    /// Whether the items come in the order of the request.
    private let isOrdered: Bool
    /// Whether filter or order look at members: then they are unpacked once for each item, and not
    /// for each time that an expression names one.
    private let readsMembers: Bool
    private let budget: ODataBudget
    private let positionBytesMax: Int
    private let answerBytesMax: Int
    /// Whether what left the reader's sight is part of the list, and there is a limit to sight.
    let wantsDepartures: Bool
    /// The items of an ordered walk are kept with their positions; the others are read again.
    private var kept: [(position: PagePosition, item: TableItem?)] = []
    private var keptBytes = 0
    /// How much the items of an ordered walk take, in bytes, and whether the page ends for it.
    private var itemBytes = 0
    private var isLongEnough = false
    /// How many items of an ordered walk were left out for `$skip`.
    private var skipped = 0
    private var count = 0

    /// The most memory that the positions of a list may take, in bytes.
    static let standardPositionBytesMax = 16 << 20

    /// A collector for one walk.
    ///
    /// - Parameters:
    ///   - request: What the list shall hold.
    ///   - identity: Who reads.
    ///   - isOrdered: Whether the items come in the order of the request.
    ///   - limits: The work that filter and order may take over the whole walk.
    ///   - positionBytesMax: The most memory that the positions that matter may take.
    ///   - answerBytesMax: About how much the items of the page may take; one there is in any case.
    init(
        request: PageRequest, identity: Identity, isOrdered: Bool,
        limits: ODataLimits = .standard,
        positionBytesMax: Int = PageCollector.standardPositionBytesMax,
        answerBytesMax: Int = TableItem.answerBytesMax
    ) {
        self.request = request
        self.identity = identity
        self.isOrdered = isOrdered
        let columns = Set(SystemColumn.allCases.map(\.rawValue))
        readsMembers =
            request.filter?.asksOnly(for: columns) == false
            || !request.order.allSatisfy { $0.expression.asksOnly(for: columns) }
        budget = ODataBudget(limits: limits)
        self.positionBytesMax = positionBytesMax
        self.answerBytesMax = answerBytesMax
        wantsDepartures =
            request.reportsDepartures && request.includesDeleted
            && request.walk == .byUpdatedAt
            && (request.filter != nil || identity.readable != nil)
    }

    /// How many kept items can matter: the page and one to know of more; without order also those
    /// that are skipped, which only the sorted list tells.
    private var needed: Int {
        guard !isOrdered else { return request.top + 1 }
        let (sum, overflow) = request.skip.addingReportingOverflow(request.top + 1)
        return overflow ? .max : sum
    }

    /// Whether an ordered walk has all items of the page.
    private var hasPage: Bool { kept.count >= needed || isLongEnough }

    /// Whether no further item of an ordered walk can change the page.
    var isFull: Bool {
        isOrdered && !request.isCounted && hasPage
    }

    /// Whether further items of an ordered walk are only counted, and every one of them counts, so
    /// that they need not be read.
    var countsUnseen: Bool {
        isOrdered && hasPage && request.filter == nil && identity.readable == nil
    }

    /// Counts an item that was not read.
    mutating func countUnseen() {
        count += 1
    }

    /// Looks at an item; keeps it when it belongs to the list.
    ///
    /// - Throws: ``ODataError`` when the filter or the order makes a string longer than the limit,
    ///   takes too much work, or too much memory.
    mutating func collect(_ item: TableItem) throws(ODataError) {
        let item = readsMembers ? item.unpacked : item
        if try belongs(item) {
            try keep(item)
        } else if wantsDepartures {
            try collectDeparture(of: item, at: item.updatedAt.microseconds)
        }
    }

    /// Looks at an item at a place where it left a channel; keeps what tells the reader of it, when
    /// it left the reader's sight there.
    ///
    /// - Throws: As ``collect(_:)``.
    mutating func collectDeparture(of item: TableItem, at time: Int64) throws(ODataError) {
        budget.beginItem()
        let gone = try item.departure(
            at: time, filter: request.filter, from: identity, budget: budget)
        if let gone { try keep(gone) }
    }

    private func belongs(_ item: TableItem) throws(ODataError) -> Bool {
        guard request.includesDeleted || !item.isDeleted, identity.maySee(item) else {
            return false
        }
        budget.beginItem()
        guard let filter = request.filter else { return true }
        return try ODataEvaluator.isTrue(filter, for: item, budget: budget)
    }

    private mutating func keep(_ item: TableItem) throws(ODataError) {
        count += 1
        let position = try PagePosition(of: item, in: request.order, budget: budget)
        if let after = request.after, !after.precedes(position, in: request.order) { return }
        if isOrdered {
            if skipped < request.skip {
                skipped += 1
                return
            }
            if hasPage { return }
            itemBytes += item.approximateSize
            guard itemBytes <= answerBytesMax || kept.isEmpty else {
                isLongEnough = true
                return
            }
        }
        kept.append((position, isOrdered ? item : nil))
        keptBytes += position.size
        if !isOrdered, kept.count / 2 > max(needed, Self.keptMin) { cut() }
        // Only at twice the limit, so that a list near it is not sorted again for every item.
        if keptBytes / 2 > positionBytesMax {
            cut()
            guard keptBytes <= positionBytesMax else {
                throw ODataError(
                    message: "The order takes too much memory; order by shorter values, or ask "
                        + "for fewer items with $top and $skip.", position: nil)
            }
        }
    }

    /// Takes away what cannot matter.
    private mutating func cut() {
        guard kept.count > needed else { return }
        sort()
        kept.removeLast(kept.count - needed)
        keptBytes = kept.reduce(0) { $0 + $1.position.size }
    }

    /// Below this many items a list is not worth cutting.
    private static let keptMin = 1000

    private mutating func sort() {
        guard !isOrdered else { return }
        let order = request.order
        kept.sort { $0.position.precedes($1.position, in: order) }
    }

    /// The page, after the walk.
    ///
    /// - Parameter read: Reads an item by its id, from the state that was walked.
    /// - Returns: The page.
    /// - Throws: What `read` throws.
    mutating func page(reading read: (String) throws -> TableItem?) throws -> Page {
        sort()
        let rest = isOrdered ? kept[...] : kept.dropFirst(request.skip)
        var items: [TableItem] = []
        var bytes = 0
        var end: PagePosition?
        for (position, item) in rest.prefix(request.top) {
            guard let item = try item ?? read(position.id) else { continue }
            bytes += item.approximateSize
            guard isOrdered || bytes <= answerBytesMax || items.isEmpty else {
                isLongEnough = true
                break
            }
            items.append(item)
            end = position
        }
        // A page without room has no last item, so there is no place where it ends.
        let hasMore = isLongEnough || rest.count > request.top
        return Page(
            items: items, count: request.isCounted ? count : nil, end: hasMore ? end : nil)
    }
}
