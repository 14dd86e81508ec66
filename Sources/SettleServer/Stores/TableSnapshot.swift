package import Foundation
package import SettleOData
package import SettleTableProtocol

/// One state of a table, for the time of a closure.
package protocol TableSnapshot {
    /// Gives way to other reads when it is their turn, and ends a long read that nobody waits for any more;
    /// called for each item of a walk, and in the midst of much work on one.
    ///
    /// - Throws: `CancellationError` when the reader has gone.
    func checkCancellation() throws

    /// Reads an item, deleted or not.
    func item(_ id: String) throws -> TableItem?

    /// Walks the items, deleted ones too, in the order of the UTF-8 bytes of their ids.
    ///
    /// Gives way as ``checkCancellation()`` before it reads each, so that nobody who waits has an item in memory.
    ///
    /// - Parameters:
    ///   - id: Where to start, excluded; nil for the first.
    ///   - body: Called with each item; answers false to stop.
    /// - Throws: What `body` throws; `CancellationError`; the store's own error when it cannot be read.
    func forEachItem(after id: String?, _ body: (TableItem) throws -> Bool) throws

    /// Walks the timeline in the order of time.
    ///
    /// - Parameters:
    ///   - times: Where to start and where to stop, in microseconds since 1970.
    ///   - checksMembers: Whether the members of items are looked through for damage. Without it an item may
    ///     only be written, by ``TableItem/writeChecking(in:to:)``, which finds damage on its way.
    ///   - body: Called with each entry, and how to get at its item, which may cost a read; answers
    ///     false to stop.
    /// - Throws: What `body` throws; the store's own error when it cannot be read.
    func forEachEntry(
        in times: ClosedRange<Int64>, checkingMembers checksMembers: Bool,
        _ body: (TimelineEntry, _ item: () throws -> TableItem?) throws -> Bool) throws

    /// The last `updatedAt` that was given, in microseconds since 1970; 0 before the first.
    func lastTime() throws -> Int64

    /// The paths that have an index.
    func indexedPaths() throws -> [[String]]

    /// The ids of the items of which a key at a path lies in one of some ranges.
    ///
    /// - Parameters:
    ///   - path: A path that has an index.
    ///   - ranges: Closed ranges of keys; see ``ODataKeyRange``.
    ///   - countMax: The most ids that are of use.
    /// - Returns: The ids, each once, in any order, perhaps with others that have no such key; nil when
    ///   there are more than `countMax`.
    /// - Throws: The store's own error when it cannot be read.
    func ids(at path: [String], in ranges: [ODataKeyRange], countMax: Int) throws -> [String]?

    /// The length of content that waits for an item of this owner; nil when there is none.
    func heldLength(
        of digest: AttachmentDigest, for owner: ContentOwner, now: Date
    ) throws -> Int?

    /// The first ids of items that attach some content, by their bytes.
    func ids(having digest: AttachmentDigest, countMax: Int) throws -> [String]

    /// Whether the content of an attachment of an item is there, not only its description.
    func hasContent(_ attachment: AttachmentDescription, of id: String) throws -> Bool
}

extension TableSnapshot {
    /// Does nothing: for stores whose walks end by themselves when the reader has gone.
    package func checkCancellation() throws {}

    /// Walks the timeline in the order of time, as ``forEachEntry(in:checkingMembers:_:)``; members are checked.
    package func forEachEntry(
        in times: ClosedRange<Int64>,
        _ body: (TimelineEntry, _ item: () throws -> TableItem?) throws -> Bool
    ) throws {
        try forEachEntry(in: times, checkingMembers: true, body)
    }
}

/// A place in a table's timeline.
package struct TimelineEntry: Sendable, Equatable {
    /// `updatedAt` in microseconds since 1970.
    package var time: Int64
    package var isDeleted: Bool
    /// True where the item was when it left a channel it has not come back to.
    package var isMark: Bool
    package var id: String

    package init(time: Int64, isDeleted: Bool, isMark: Bool, id: String) {
        self.time = time
        self.isDeleted = isDeleted
        self.isMark = isMark
        self.id = id
    }
}
