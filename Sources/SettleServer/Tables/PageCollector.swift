import Settle
import SettleOData
import SettleTableProtocol

/// Picks the items of one page out of a walk over many.
///
/// When the walk comes in the order of the request, only the items of the page are kept. Otherwise
/// the positions of the best so far are kept, in a list that is cut whenever it is twice as long as
/// can matter, or takes twice the memory it may; the items of the page are read again at the end.
///
/// The items of the page go into a sink, one after the other.
struct PageCollector<Sink: PageSink> {
    let request: PageRequest
    private let identity: Identity
    /// Whether the items come in the order of the request.
    private let isOrdered: Bool
    /// Whether filter or order look at members: then the column of the attachments is made once for each
    /// item, and not for each time that an expression names it.
    private let readsMembers: Bool
    /// When the filter asks for nothing but a span of `updatedAt`, that span; it is what costs least.
    private let span: ODataNode.Span?
    /// Whether every item may be seen by the reader.
    private let seesAll: Bool
    /// Whether positions of an ordered walk can be found without evaluating anything of an item.
    private let hasPlainOrder: Bool
    private let budget: ODataBudget
    private let positionBytesMax: Int
    private let answerBytesMax: Int
    /// Whether what left the reader's sight is part of the list, and there is a limit to sight.
    let wantsChannelRemovals: Bool
    /// Whether nothing is done with the members of an item but to write them, so that they need no check before.
    let onlyWritesMembers: Bool
    /// The items of the page so far.
    private var sink: Sink
    /// How many items of an ordered walk belong to the page, and one more when there is one.
    private var orderedCount = 0
    /// The positions that may matter of a walk in another order.
    private var kept: [PagePosition] = []
    private var keptBytes = 0
    /// How many items are in the sink, how much they take in bytes, and where the last of them stands.
    private var sunkCount = 0
    private var sunkSize: PageSize
    private var end: PagePosition?
    /// The last item in the sink when its position was not needed yet.
    private var endItem: TableItem?
    /// Whether an ordered walk has come past the place where the page begins.
    private var isPastStart: Bool
    /// Whether the page ends because its items are large.
    private var isLongEnough = false
    /// How many items of an ordered walk were left out for `$skip`.
    private var skipped = 0
    private var count = 0

    /// A collector for one walk.
    ///
    /// - Parameters:
    ///   - request: What the list shall hold.
    ///   - identity: Who reads.
    ///   - isOrdered: Whether the items come in the order of the request.
    ///   - limits: The work that filter and order may take over the whole walk.
    ///   - isGivenUp: Asked now and then, in the midst of work, whether nobody waits for the page any more.
    ///   - positionBytesMax: The most memory that the positions that matter may take.
    ///   - answerBytesMax: About how much the items of the page may take; one there is in any case.
    ///   - sink: Where the items go.
    init(
        request: PageRequest, identity: Identity, isOrdered: Bool,
        limits: ODataLimits = .standard, isGivenUp: @escaping () -> Bool = { false },
        positionBytesMax: Int = standardPagePositionBytesMax,
        answerBytesMax: Int = TableItem.answerBytesMax, into sink: Sink
    ) {
        self.sink = sink
        self.request = request
        self.identity = identity
        self.isOrdered = isOrdered
        let columns = Set(SystemColumn.allCases.map(\.rawValue))
        readsMembers =
            request.filter?.asksOnly(for: columns) == false
            || !request.order.allSatisfy { $0.expression.asksOnly(for: columns) }
        span = request.filter?.exactUpdatedAtSpan
        seesAll = identity.readable == nil && identity.operations.contains(.read)
        hasPlainOrder = request.order.allSatisfy { $0.expression.isColumn(of: columns) }
        isPastStart = request.after == nil
        budget = ODataBudget(limits: limits, isGivenUp: isGivenUp)
        self.positionBytesMax = positionBytesMax
        self.answerBytesMax = answerBytesMax
        sunkSize = PageSize(max: answerBytesMax)
        wantsChannelRemovals =
            request.reportsChannelRemovals && request.includesDeleted
            && request.walk == .byUpdatedAt
            && (request.filter != nil || identity.readable != nil)
        onlyWritesMembers =
            Sink.checksMembers && isOrdered && seesAll && !readsMembers && !wantsChannelRemovals
    }

    /// How many kept positions can matter: the page and one to know of more; also those that are skipped,
    /// which only the sorted list tells.
    private var needed: Int {
        let (sum, overflow) = request.skip.addingReportingOverflow(request.top + 1)
        return overflow ? .max : sum
    }

    /// Whether an ordered walk has all items of the page.
    private var hasPage: Bool { orderedCount > request.top || isLongEnough }

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
    ///   takes too much work, or too much memory; what the sink throws.
    mutating func collect(_ item: TableItem) throws {
        let item = readsMembers ? item.withAttachmentColumn : item
        if try belongs(item) {
            try keep(item)
        } else if wantsChannelRemovals {
            try collectRemoval(of: item, at: item.updatedAt.microseconds)
        }
    }

    /// Looks at an item at a place where it left a channel; keeps what tells the reader of it, when
    /// it left the reader's sight there.
    ///
    /// - Throws: As ``collect(_:)``.
    mutating func collectRemoval(of item: TableItem, at time: Int64) throws {
        budget.beginItem()
        let gone = try item.removal(
            at: time, filter: request.filter, from: identity, budget: budget)
        if let gone { try keep(gone) }
    }

    private func belongs(_ item: TableItem) throws(ODataError) -> Bool {
        guard request.includesDeleted || !item.isDeleted, seesAll || identity.maySee(item) else {
            return false
        }
        budget.beginItem()
        if let span { return span.contains(item.updatedAt) }
        guard let filter = request.filter else { return true }
        return try ODataEvaluator.isTrue(filter, for: item, budget: budget)
    }

    private mutating func keep(_ item: TableItem) throws {
        count += 1
        // All that comes behind the first item past the start is past it, too.
        if isOrdered, isPastStart, hasPlainOrder { return try keepInOrder(item, at: nil) }
        let position = try PagePosition(of: item, in: request.order, budget: budget)
        if let after = request.after, !after.precedes(position, in: request.order) { return }
        isPastStart = true
        if isOrdered { try keepInOrder(item, at: position) } else { try keep(position) }
    }

    private mutating func keepInOrder(_ item: TableItem, at position: PagePosition?) throws {
        if skipped < request.skip {
            skipped += 1
            return
        }
        if hasPage { return }
        if orderedCount < request.top { try sink(item, at: position) }
        orderedCount += 1
    }

    /// Puts an item into the page, unless that would become too long.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - position: Its position; nil when it is found only should it be needed.
    /// - Throws: What the sink throws.
    private mutating func sink(_ item: TableItem, at position: PagePosition?) throws {
        let fits = try sunkSize.add(item) && sink.size <= answerBytesMax
        guard sunkCount == 0 || fits else {
            isLongEnough = true
            return
        }
        try sink.add(item)
        sunkCount += 1
        end = position
        endItem = position == nil ? item : nil
    }

    private mutating func keep(_ position: PagePosition) throws(ODataError) {
        kept.append(position)
        keptBytes += position.size
        if kept.count / 2 > max(needed, Self.keptMin) { cut() }
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
        keptBytes = kept.reduce(0) { $0 + $1.size }
    }

    /// Below this many items a list is not worth cutting.
    private static var keptMin: Int { 1000 }

    private mutating func sort() {
        let order = request.order
        kept.sort { $0.precedes($1, in: order) }
    }

    /// What came of the walk.
    ///
    /// - Parameter read: Reads an item by its id, from the state that was walked.
    /// - Returns: The page.
    /// - Throws: What `read` and the sink throw.
    mutating func finish(
        reading read: (String) throws -> TableItem?
    ) throws -> CollectedPage<Sink> {
        var hasMore = orderedCount > request.top
        if !isOrdered {
            sort()
            let rest = kept.dropFirst(request.skip)
            hasMore = rest.count > request.top
            for position in rest.prefix(request.top) where !isLongEnough {
                guard let item = try read(position.id) else { continue }
                try sink(item, at: position)
            }
        }
        if let endItem {
            end = try PagePosition(of: endItem, in: request.order, budget: budget)
        }
        // A page without room has no last item, so there is no place where it ends.
        return CollectedPage(
            sink: sink, itemCount: sunkCount, count: request.isCounted ? count : nil,
            end: hasMore || isLongEnough ? end : nil)
    }
}

extension ODataNode {
    /// Whether this is one of some columns and nothing of it.
    fileprivate func isColumn(of columns: Set<String>) -> Bool {
        guard case .path(let path) = self else { return false }
        return path.count == 1 && columns.contains(path[0])
    }
}

/// The most memory that the positions of a list may take, in bytes.
let standardPagePositionBytesMax = 16 << 20
