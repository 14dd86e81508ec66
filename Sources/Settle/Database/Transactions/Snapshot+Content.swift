import SettleDocuments
import SettleStorage

extension Snapshot {
    /// True when there is content that no document has taken yet.
    var hasWaitingContent: Bool {
        get throws { try DatabaseError.translating { try base.uploadCount > 0 } }
    }

    func content(_ digest: ContentDigest) throws -> [UInt8] {
        try DatabaseError.translating { try base.content(digest) }
    }

    func chunk(_ index: Int, of digest: ContentDigest) throws -> [UInt8]? {
        try DatabaseError.translating { try base.chunk(index, of: digest) }
    }

    func hasContent(_ digest: ContentDigest) throws -> Bool {
        try DatabaseError.translating { try base.hasContent(digest) }
    }
}
