import Foundation
import Settle
import SettleOData
import SettleTableProtocol

/// A state of a table that lies in a Settle database.
class LMDBSnapshot: TableSnapshot {
    private let snapshot: Snapshot
    let indexes: PathIndexes
    private let held: HeldContents
    /// Nil for a short read.
    private let turn: WorkTurn?

    init(
        _ snapshot: Snapshot, indexes: PathIndexes, held: HeldContents,
        turn: WorkTurn? = nil
    ) {
        self.snapshot = snapshot
        self.indexes = indexes
        self.held = held
        self.turn = turn
    }

    func checkCancellation() throws { try turn?.check() }

    func item(_ id: String) throws -> TableItem? { try item(id, checkingMembers: true) }

    private func item(_ id: String, checkingMembers checksMembers: Bool) throws -> TableItem? {
        var found: TableItem?
        try snapshot.readDocument(id) {
            found = try item(of: $0, id, checkingMembers: checksMembers)
        }
        return found
    }

    private func item(
        of view: borrowing DocumentView, _ id: String, checkingMembers checksMembers: Bool = true
    ) throws -> TableItem? {
        try turn?.check(before: view.byteCount)
        let isLarge = view.byteCount > ItemMembers.smallBytesMax
        // What is attached is known to the document alone.
        return try Envelope.item(of: view, id: id, checkingMembers: checksMembers || isLarge)
            ?? snapshot.document(id).map(Envelope.item(of:))
    }

    func forEachItem(after id: String?, _ body: (TableItem) throws -> Bool) throws {
        try snapshot.forEachView(after: id) { view in
            try checkCancellation()
            guard let item = try item(of: view, view.id) else { return true }
            return try body(item)
        }
    }

    func forEachEntry(
        in times: ClosedRange<Int64>, checkingMembers checksMembers: Bool,
        _ body: (TimelineEntry, () throws -> TableItem?) throws -> Bool
    ) throws {
        try TableTimeline.forEach(from: times.lowerBound, in: snapshot) { entry in
            guard entry.time <= times.upperBound else { return false }
            return try body(entry) { try item(entry.id, checkingMembers: checksMembers) }
        }
    }

    func lastTime() throws -> Int64 { try TableClock.last(in: snapshot) }

    func indexedPaths() throws -> [[String]] { indexes.paths }

    func ids(at path: [String], in ranges: [ODataKeyRange], countMax: Int) throws -> [String]? {
        try indexes.ids(at: path, in: ranges, countMax: countMax, in: snapshot)
    }

    func heldLength(
        of digest: AttachmentDigest, for owner: ContentOwner, now: Date
    ) throws -> Int? {
        guard let lease = held.content(digest, for: owner, now: now), try lease.isContentAvailable
        else { return nil }
        return lease.length
    }

    func ids(having digest: AttachmentDigest, countMax: Int) throws -> [String] {
        try ContentIndex.ids(having: digest, countMax: countMax, in: snapshot)
    }

    func hasContent(_ attachment: AttachmentDescription, of id: String) throws -> Bool {
        let stored = try snapshot.document(id)?.attachments.first {
            $0.digest == attachment.digest.text
        }
        return try stored?.isContentAvailable ?? false
    }
}
