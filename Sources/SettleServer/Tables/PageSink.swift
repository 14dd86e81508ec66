import SettleOData

/// Takes the items of a page.
protocol PageSink {
    /// Whether it only writes items, and finds damaged members on its way.
    static var checksMembers: Bool { get }

    /// How many bytes of memory it takes, as far as that matters beside the size of the items.
    var size: Int { get }

    /// Takes an item.
    ///
    /// - Throws: When there is no room for it.
    mutating func add(_ item: TableItem) throws
}

/// A page whose items went into a sink.
struct CollectedPage<Sink: PageSink> {
    var sink: Sink
    /// How many items the sink has.
    var itemCount: Int
    /// How many items match in all, on this page or not; nil when that was not asked for.
    var count: Int?
    /// Where the page ends, when more items follow; nil at the end of the list.
    var end: PagePosition?
}

extension CollectedPage: Sendable where Sink: Sendable {}

extension [TableItem]: PageSink {
    static var checksMembers: Bool { false }
    var size: Int { 0 }

    mutating func add(_ item: TableItem) { append(item) }
}

extension PageCollector where Sink == [TableItem] {
    /// A collector for one walk, of items that stay in memory.
    ///
    /// As ``init(request:identity:isOrdered:limits:isGivenUp:positionBytesMax:answerBytesMax:into:)``.
    init(
        request: PageRequest, identity: Identity, isOrdered: Bool,
        limits: ODataLimits = .standard,
        positionBytesMax: Int = standardPagePositionBytesMax,
        answerBytesMax: Int = TableItem.answerBytesMax
    ) {
        self.init(
            request: request, identity: identity, isOrdered: isOrdered, limits: limits,
            positionBytesMax: positionBytesMax, answerBytesMax: answerBytesMax, into: [])
    }

    /// The page, after the walk.
    ///
    /// - Parameter read: Reads an item by its id, from the state that was walked.
    /// - Returns: The page.
    /// - Throws: What `read` throws.
    mutating func page(reading read: (String) throws -> TableItem?) throws -> Page {
        let page = try finish(reading: read)
        return Page(items: page.sink, count: page.count, end: page.end)
    }
}
