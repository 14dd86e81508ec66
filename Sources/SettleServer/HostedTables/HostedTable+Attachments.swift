import Foundation
import HTTPTypes
import SettleTableProtocol

extension HostedTable {
    /// The attachments that an item is to have after a write.
    ///
    /// Content may be attached by who sent it, by who sees it in an item, and in the item that has
    /// it already; to know its digest is not enough.
    ///
    /// - Parameters:
    ///   - descriptions: What the write says; nil for the attachments that are there.
    ///   - current: The item before.
    ///   - identity: Who writes.
    ///   - now: What the computer's clock says.
    ///   - snapshot: The state that is written over.
    /// - Returns: The attachments, to be saved with the item.
    /// - Throws: ``Problem`` 422 naming an attachment whose content the server does not have for
    ///   the sender, or has with another length; the store's error when it cannot be read.
    static func attachments(
        _ descriptions: [AttachmentDescription]?, over current: TableItem?,
        by identity: Identity, now: Date, in snapshot: any TableSnapshot
    ) throws -> [AttachmentDescription] {
        let before = current?.attachments ?? []
        guard let descriptions else { return before }
        // Each content is looked for once, however many attachments have it.
        var lengths = Dictionary(before.map { ($0.digest, $0.length) }) { first, _ in first }
        for description in descriptions {
            let digest = description.digest
            if lengths[digest] == nil {
                lengths[digest] = try contentLength(
                    digest, for: identity, now: now, in: snapshot)
            }
            guard let known = lengths[digest] else { throw contentMissing(description.name) }
            guard known == description.length else {
                throw Problem(
                    .unprocessableContent,
                    "The content of the attachment '\(description.name)' has another length than "
                        + "its description says.")
            }
        }
        return descriptions
    }

    /// The length of content that the server has and would take with an item of the sender; nil
    /// when it has to be uploaded first.
    ///
    /// - Throws: The store's error when it cannot be read.
    func contentLength(
        _ digest: AttachmentDigest, for identity: Identity, now: Date
    ) async throws -> Int? {
        try await stored.read {
            try Self.contentLength(digest, for: identity, now: now, in: $0)
        }
    }

    private static func contentLength(
        _ digest: AttachmentDigest, for identity: Identity, now: Date,
        in snapshot: any TableSnapshot
    ) throws -> Int? {
        let owner = ContentOwner(identity)
        if let length = try snapshot.heldLength(of: digest, for: owner, now: now) {
            return length
        }
        for id in try snapshot.ids(having: digest, countMax: itemCountMax) {
            guard let item = try snapshot.item(id), identity.maySee(item),
                let attachment = item.attachments.first(where: { $0.digest == digest }),
                try snapshot.hasContent(attachment, of: id)
            else { continue }
            return attachment.length
        }
        return nil
    }

    /// How many items are looked at for one that a limited sender may see.
    private static let itemCountMax = 32

    /// Takes content in, in constant memory, to wait for an item of the sender.
    ///
    /// - Returns: True when the sender could have attached it before, too.
    /// - Throws: ``Problem`` 422 when the content has another digest, and what `chunks` throws;
    ///   nothing is left then. The store's error when it cannot take it.
    func hold(
        _ chunks: UploadedChunks, as digest: AttachmentDigest, by identity: Identity,
        now: @escaping @Sendable () -> Date
    ) async throws -> Bool {
        let wasKnown = try await contentLength(digest, for: identity, now: now()) != nil
        try await stored.hold(chunks, as: digest, for: ContentOwner(identity), now: now)
        return wasKnown
    }

    /// The problem for an attachment whose content has to be uploaded first.
    static func contentMissing(_ name: String) -> Problem {
        Problem(
            .unprocessableContent,
            "The server does not have the content of the attachment '\(name)' from you; upload it "
                + "first.")
    }
}
