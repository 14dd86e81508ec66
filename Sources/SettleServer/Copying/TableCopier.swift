import Foundation
import Settle
import SettleOData
import SettleTableProtocol

/// Copies one table from one store to another, item by item in the order of their times.
struct TableCopier: Sendable {
    let source: any StoredTable
    let destination: any StoredTable
    let now: @Sendable () -> Date

    /// Items that share a transaction, and how much they may take in memory, in bytes.
    private static let batchCount = 500
    private static let batchBytes = 32 << 20
    /// Content waits for the item that follows it at once, and is everybody's meanwhile.
    private static let owner = ContentOwner(.unlimited)

    /// Copies what the destination does not have as it is in the source.
    ///
    /// - Parameter report: Called after each batch with the items that were copied so far.
    /// - Returns: What was done.
    /// - Throws: ``ServerError`` with `copyConflict` when the destination has changes of its own; the
    ///   stores' errors. What was copied until then stays, and another copy goes on there.
    func copy(_ report: (Int) -> Void) async throws -> StoreCopy.Summary {
        var summary = StoreCopy.Summary(tableCount: 1)
        var time: Int64 = 0
        while true {
            try Task.checkCancellation()
            let batch = try await batch(from: time)
            guard let last = batch.last else { return summary }
            let (copied, contents) = try await store(batch)
            summary.copiedCount += copied
            summary.equalCount += batch.count - copied
            summary.contentCount += contents
            report(summary.copiedCount)
            time = last.updatedAt.microseconds + 1
        }
    }

    private func batch(from time: Int64) async throws -> [TableItem] {
        try await source.read(.long(SenderKey(subject: nil, address: nil))) { snapshot in
            var items: [TableItem] = []
            var bytes = 0
            try snapshot.forEachEntry(in: time...Int64.max) { entry, read in
                // A mark is stored with its item.
                if !entry.isMark, let item = try read() {
                    items.append(item)
                    bytes += item.approximateSize
                }
                return items.count < Self.batchCount && bytes < Self.batchBytes
            }
            return items
        }
    }

    private func store(_ items: [TableItem]) async throws -> (copied: Int, contents: Int) {
        let ids = items.map(\.id)
        let known = try await destination.read { snapshot in try ids.map(snapshot.item) }
        var isEqual: [Bool] = []
        var digests: [AttachmentDigest] = []
        for (item, known) in zip(items, known) {
            isEqual.append(try Self.isEqual(item, known))
            for attachment in item.attachments where !digests.contains(attachment.digest) {
                if try await hold(attachment, of: item.id) { digests.append(attachment.digest) }
            }
        }
        let missing = zip(items, isEqual).filter { !$1 }.map(\.0)
        try await save(missing)
        if !digests.isEmpty { try await destination.endHold(digests, of: Self.owner, now: now()) }
        return (missing.count, digests.count)
    }

    private func save(_ missing: [TableItem]) async throws {
        guard !missing.isEmpty else { return }
        try await destination.write(touching: missing.map(\.id)) { transaction in
            for item in missing {
                let current = try transaction.item(item.id)
                guard try !Self.isEqual(item, current) else { continue }
                // Who reads the destination has everything up to its last time.
                guard item.updatedAt.microseconds > (try transaction.lastTime()) else {
                    throw Self.conflict
                }
                _ = try transaction.save(item, over: current)
            }
        }
    }

    /// Whether the destination has an item already.
    ///
    /// - Throws: ``ServerError`` with `copyConflict` when it has a later one.
    private static func isEqual(_ item: TableItem, _ known: TableItem?) throws -> Bool {
        guard let known else { return false }
        if known.updatedAt == item.updatedAt, known.version == item.version { return true }
        guard known.updatedAt < item.updatedAt else {
            throw conflict
        }
        return false
    }

    private static let conflict = ServerError(
        .copyConflict,
        "The destination was written to on its own; copy into an empty store, or one that nobody has "
            + "written to since the last copy.")

    /// Brings content over that the destination does not have; true when it waits there for the item.
    private func hold(_ attachment: AttachmentDescription, of id: String) async throws -> Bool {
        let (isHeld, isThere) = try await destination.read { snapshot in
            let held = try snapshot.heldLength(of: attachment.digest, for: Self.owner, now: now())
            guard let item = try snapshot.item(id), item.attachments.contains(attachment) else {
                return (held != nil, false)
            }
            return (held != nil, try snapshot.hasContent(attachment, of: id))
        }
        guard !isHeld, !isThere,
            let chunks = try await source.content(of: attachment, in: id, from: 0)
        else { return isHeld }
        try await hold(chunks, as: attachment.digest)
        return true
    }

    private func hold(
        _ chunks: some AsyncSequence<Data, any Error> & Sendable, as digest: AttachmentDigest
    ) async throws {
        try await destination.hold(chunks, as: digest, for: Self.owner, now: now)
    }
}
