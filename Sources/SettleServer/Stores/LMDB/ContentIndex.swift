import Settle
import SettleTableProtocol

/// Which items attach which content.
///
/// It tells whether a sender can see content already, and so may attach it again without sending
/// it. Changed in the same transaction as the items.
///
/// Shape: the key is the digest, 64 hexadecimal digits in ASCII, and then the id of an item in
/// UTF-8; the value is the length of the content in bytes, 8 bytes, the highest first.
enum ContentIndex {
    private static let table = "server.contents"

    /// Brings the rows of an item in step with its attachments.
    ///
    /// - Throws: ``DatabaseError`` when the side table cannot be written.
    static func move(
        _ id: String, from previous: [AttachmentDescription], to current: [AttachmentDescription],
        in transaction: Transaction
    ) throws {
        guard previous != current else { return }
        let side = try transaction.sideTable(named: table)
        let digests = Set(current.map(\.digest))
        for description in previous where !digests.contains(description.digest) {
            try side.remove(key(description.digest, id))
        }
        for description in current {
            try side.set(
                TableTimeline.key(Int64(description.length)), for: key(description.digest, id))
        }
    }

    /// The first ids of items that attach some content.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    static func ids(
        having digest: AttachmentDigest, countMax: Int, in snapshot: Snapshot
    ) throws -> [String] {
        let prefix = Array(digest.text.utf8)
        var ids: [String] = []
        try snapshot.table(table)?.forEach(from: prefix) { key, _ in
            guard key.starts(with: prefix), ids.count < countMax else { return false }
            ids.append(String(decoding: key.dropFirst(prefix.count), as: UTF8.self))
            return true
        }
        return ids
    }

    private static func key(_ digest: AttachmentDigest, _ id: String) -> [UInt8] {
        Array(digest.text.utf8) + Array(id.utf8)
    }
}
