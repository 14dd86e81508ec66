import Settle
import SettleOData

/// What a reader of a table's changes wants.
struct ChangesRequest: Sendable, Equatable {
    var filter: ODataNode?
    /// The most changes of one page.
    var top: Int
    /// `updatedAt` of the last change that the reader knows, in microseconds since 1970.
    var time: Int64
}

/// Changes of a table, the oldest first.
struct ChangesPage: Sendable {
    /// Each item once, as it is now; deleted ones and those that left the reader's sight too.
    var items: [TableItem]
    /// The time up to which the reader knows everything now.
    var time: Int64
    /// Whether more are there already.
    var hasMore: Bool

    /// About how many bytes of items a page has, unless it is one item alone; the rest comes with the next.
    static let bytesMax = 4 << 20
}

extension HostedTable {
    /// The changes after a time, all of them from one state of the table.
    ///
    /// - Parameters:
    ///   - request: What the reader wants.
    ///   - identity: Who reads.
    /// - Returns: The changes; none when there is nothing new for this reader.
    /// - Throws: As ``page(_:for:)``.
    /// - Complexity: The changes of the table since the time, up to the last one of the page.
    func changes(_ request: ChangesRequest, for identity: Identity) async throws -> ChangesPage {
        let (next, overflow) = request.time.addingReportingOverflow(1)
        guard !overflow else { return ChangesPage(items: [], time: request.time, hasMore: false) }
        var list = PageRequest(filter: request.filter, top: request.top)
        list.order = [ODataSortKey(expression: ODataNode.updatedAt, isDescending: false)]
        list.includesDeleted = true
        list.reportsChannelRemovals = true
        // Every id stands behind the empty one.
        list.after = PagePosition(
            keys: [.instant(Instant(microseconds: next))], id: "")
        return try await stored.read(.long(identity.sender)) { [list] snapshot in
            let last = try snapshot.lastTime()
            let page = try PageReader(list, for: identity, in: snapshot).read(
                into: [TableItem](), answerBytesMax: ChangesPage.bytesMax)
            let time =
                page.end == nil
                ? max(last, request.time)
                : page.sink.last?.updatedAt.microseconds ?? request.time
            return ChangesPage(items: page.sink, time: time, hasMore: page.end != nil)
        }
    }

    /// The time of the last change.
    ///
    /// - Throws: The store's error when it cannot be read.
    func lastTime() async throws -> Int64 {
        try await stored.read { try $0.lastTime() }
    }
}
