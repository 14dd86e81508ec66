import Settle
import SettleOData

extension HostedTable {
    /// Reads one page of a list, all of it from one state of the table.
    ///
    /// - Parameters:
    ///   - request: What the list shall hold.
    ///   - identity: Who reads; items that are not theirs are left out as if they did not exist.
    /// - Returns: The page.
    /// - Throws: ``ODataError`` when the filter or the order makes a string longer than the limit,
    ///   takes too much work or too much memory; `CancellationError` when the task is cancelled; the
    ///   store's error when it cannot be read.
    /// - Complexity: For an order by `updatedAt` or by id: the items from where the filter,
    ///   or the page before, lets the walk begin, up to the last item of the page. For other
    ///   orders and when a count is asked for: all items the filter's bounds, or an index of a path
    ///   that it names, let through.
    func page(_ request: PageRequest, for identity: Identity) async throws -> Page {
        let page = try await page(request, for: identity, into: [TableItem]())
        return Page(items: page.sink, count: page.count, end: page.end)
    }

    /// Reads one page of a list into a sink, all of it from one state of the table.
    ///
    /// - Parameters:
    ///   - request: What the list shall hold.
    ///   - identity: Who reads; items that are not theirs are left out as if they did not exist.
    ///   - sink: Where the items go.
    ///   - answerBytesMax: About how much the items of the page may take; one there is in any case.
    /// - Returns: The page.
    /// - Throws: As ``page(_:for:)``; what the sink throws.
    func page<Sink: PageSink & Sendable>(
        _ request: PageRequest, for identity: Identity, into sink: Sink,
        answerBytesMax: Int = TableItem.answerBytesMax
    ) async throws -> CollectedPage<Sink> {
        try await stored.read(.long(identity.sender)) {
            try PageReader(request, for: identity, in: $0).read(
                into: sink, answerBytesMax: answerBytesMax)
        }
    }
}

extension HostedTable {
    /// Reads one page of a list at once, when it is short.
    ///
    /// - Returns: The page; nil when it is to be read by ``page(_:for:into:answerBytesMax:)``.
    /// - Throws: As that.
    func pageNow<Sink: PageSink>(
        _ request: PageRequest, for identity: Identity, into sink: Sink,
        answerBytesMax: Int = TableItem.answerBytesMax
    ) throws -> CollectedPage<Sink>? {
        guard request.isShort else { return nil }
        return try stored.readNow(for: identity.sender) {
            try PageReader(request, for: identity, in: $0).read(
                into: sink, answerBytesMax: answerBytesMax)
        }
    }
}

/// Reads one page of a list from one state of a table.
struct PageReader {
    private let request: PageRequest
    private let identity: Identity
    private let snapshot: any TableSnapshot
    /// The only items that can be in the list, when that is known.
    private let candidates: [String]?

    /// Finds the way to read a page.
    ///
    /// - Parameters:
    ///   - request: What the list shall hold.
    ///   - identity: Who reads.
    ///   - snapshot: The state of the table.
    /// - Throws: The store's error when it cannot be read.
    init(
        _ request: PageRequest, for identity: Identity, in snapshot: any TableSnapshot
    ) throws {
        self.request = request
        self.identity = identity
        self.snapshot = snapshot
        candidates = try Self.candidates(of: request, in: snapshot)
    }

    /// The page, into a sink.
    ///
    /// - Parameters:
    ///   - sink: Where the items go.
    ///   - answerBytesMax: About how much the items of the page may take; one there is in any case.
    /// - Returns: The page.
    /// - Throws: As ``HostedTable/page(_:for:)``; what the sink throws.
    func read<Sink: PageSink>(
        into sink: Sink, answerBytesMax: Int = TableItem.answerBytesMax
    ) throws -> CollectedPage<Sink> {
        do {
            return try walk(into: sink, answerBytesMax: answerBytesMax)
        } catch let error as ODataError {
            // It is also how an evaluation ends that nobody waits for.
            try snapshot.checkCancellation()
            throw error
        }
    }

    private func walk<Sink: PageSink>(
        into sink: Sink, answerBytesMax: Int
    ) throws -> CollectedPage<Sink> {
        let isOrdered = candidates == nil ? request.walk != .sorted : request.walk == .byId
        var collector = PageCollector(
            request: request, identity: identity, isOrdered: isOrdered,
            isGivenUp: { (try? snapshot.checkCancellation()) == nil },
            answerBytesMax: answerBytesMax, into: sink)
        if let candidates {
            for id in candidates {
                try snapshot.checkCancellation()
                guard let item = try snapshot.item(id) else { continue }
                try collector.collect(item)
            }
        } else if request.walk == .byId {
            try walkIds(into: &collector)
        } else {
            try walkTimes(into: &collector)
        }
        return try collector.finish {
            try snapshot.checkCancellation()
            return try snapshot.item($0)
        }
    }

    private func walkIds<Sink>(into collector: inout PageCollector<Sink>) throws {
        let start = request.isCounted ? nil : request.after?.id
        try snapshot.forEachItem(after: start) { item in
            try collector.collect(item)
            return !collector.isFull
        }
    }

    /// Walks the timeline from the first time that can matter to the last.
    private func walkTimes<Sink>(into collector: inout PageCollector<Sink>) throws {
        let span = request.filter?.updatedAtSpan ?? ODataNode.Span()
        var start = max(0, span.lower?.microseconds ?? 0)
        if request.walk == .byUpdatedAt, !request.isCounted,
            case .instant(let instant)? = request.after?.keys.first
        {
            start = max(start, instant.microseconds)
        }
        let end = span.upper?.microseconds ?? .max
        guard start <= end else { return }
        // An item that left many channels has many marks, mostly one behind the other.
        var marked: TableItem?
        let checksMembers = !collector.onlyWritesMembers
        try snapshot.forEachEntry(in: start...end, checkingMembers: checksMembers) { entry, read in
            try snapshot.checkCancellation()
            if entry.isMark {
                guard collector.wantsChannelRemovals else { return true }
                if marked?.id != entry.id { marked = try read() }
                guard let item = marked else { return true }
                try collector.collectRemoval(of: item, at: entry.time)
                return !collector.isFull
            }
            // Deleted items that are not asked for cost no read of a document.
            if entry.isDeleted, !request.includesDeleted { return true }
            if collector.countsUnseen {
                collector.countUnseen()
                return true
            }
            if let item = try read() { try collector.collect(item) }
            return !collector.isFull
        }
    }
}

extension PageReader {
    /// More candidates than this are dearer than a walk that comes in the order of the request and
    /// ends with the page.
    private static let candidateCountMax = 1_000
    /// More than this are dearer than a walk over all items.
    private static let candidateCountMaxOfAll = 100_000

    /// The ids of all items that the filter can be true for, in the order of their bytes; nil when a
    /// walk is the better way.
    private static func candidates(
        of request: PageRequest, in snapshot: any TableSnapshot
    ) throws -> [String]? {
        // What left the reader's sight is found in the timeline only.
        guard let filter = request.filter, !request.readsTimeline else { return nil }
        if let ids = filter.candidateIds { return ids }
        let walksAll = request.walk == .sorted || request.isCounted
        var countMax = walksAll ? candidateCountMaxOfAll : candidateCountMax
        var fewest: [String]?
        for path in try snapshot.indexedPaths() {
            guard let ranges = filter.keyRanges(on: path),
                let ids = try snapshot.ids(
                    at: path, in: [.overflow] + ranges, countMax: countMax)
            else { continue }
            fewest = ids
            countMax = ids.count
        }
        return fewest?.sorted { ODataOrder.bytes($0, $1) < 0 }
    }
}

extension PageRequest {
    /// Whether the list is likely to look at few rows, one after the other.
    fileprivate var isShort: Bool {
        // Both may be as large as a number gets.
        skip <= Self.shortCountMax && top <= Self.shortCountMax - skip && walk != .sorted
            && !isCounted
            && (filter == nil || filter?.exactUpdatedAtSpan != nil)
    }

    private static let shortCountMax = 100

    /// Whether the list needs the timeline, because what left the reader's sight belongs to it.
    var readsTimeline: Bool {
        reportsChannelRemovals && includesDeleted && walk == .byUpdatedAt
    }
}
