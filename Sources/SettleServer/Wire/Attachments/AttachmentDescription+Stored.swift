import Settle
import SettleTableProtocol

extension AttachmentDescription {
    /// The description of a stored attachment.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted` when its digest is none.
    init(_ attachment: DocumentAttachment) throws {
        guard let digest = AttachmentDigest(attachment.digest) else {
            throw DatabaseError(.corrupted, "A stored attachment has a damaged digest.")
        }
        self.init(
            name: attachment.name, contentType: attachment.contentType, length: attachment.length,
            digest: digest)
    }
}
