import Foundation
import HTTPTypes
import Settle

extension Table {
    /// The attachments that a document is to have after a write.
    ///
    /// Content may be attached by who sent it, by who sees it in an item, and in the item that has
    /// it already; to know its digest is not enough.
    ///
    /// - Parameters:
    ///   - descriptions: What the write says; nil for the attachments that are there.
    ///   - previous: The document before.
    ///   - identity: Who writes.
    ///   - now: What the computer's clock says.
    ///   - snapshot: The state that is written over.
    /// - Returns: The attachments, to be saved with the document.
    /// - Throws: ``Refusal`` 422 naming an attachment whose content the server does not have for
    ///   the sender, or has with another length; ``DatabaseError`` when the database cannot be read.
    func attachments(
        _ descriptions: [AttachmentDescription]?, over previous: Document?,
        by identity: Identity, now: Date, in snapshot: Snapshot
    ) throws -> [DocumentAttachment] {
        let before = previous?.attachments ?? []
        guard let descriptions else { return before }
        return try descriptions.map { description in
            let digest = description.digest
            let known =
                try before.first { $0.digest == digest.text }?.length
                ?? contentLength(digest, for: identity, now: now, in: snapshot)
            guard let known else { throw Self.contentMissing(description.name) }
            guard known == description.length else {
                throw Refusal(
                    .unprocessableContent,
                    "The content of the attachment '\(description.name)' has another length than "
                        + "its description says.")
            }
            return try DocumentAttachment(
                name: description.name, contentType: description.contentType,
                length: known, digest: digest.text)
        }
    }

    /// The length of content that the server has and would take with an item of the sender; nil
    /// when it has to be uploaded first.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    func contentLength(
        _ digest: AttachmentDigest, for identity: Identity, now: Date, in snapshot: Snapshot
    ) throws -> Int? {
        if let lease = held.content(digest, for: identity, now: now),
            try lease.isContentAvailable
        {
            return lease.length
        }
        return try ContentIndex.length(of: digest, visibleTo: identity, in: snapshot)
    }

    /// Takes content in, in constant memory, to wait for an item of the sender.
    ///
    /// - Returns: True when the sender could have attached it before, too.
    /// - Throws: ``Refusal`` 422 when the content has another digest, and what `chunks` throws;
    ///   nothing is left then. ``DatabaseError`` when the store cannot take it.
    func hold(
        _ chunks: UploadedChunks, as digest: AttachmentDigest, by identity: Identity,
        now: @Sendable () -> Date
    ) async throws -> Bool {
        for lease in held.lapse(now: now()) {
            try await database.discard(lease)
        }
        let wasKnown =
            try database.read { try contentLength(digest, for: identity, now: now(), in: $0) }
            != nil
        let lease = try await database.storeAttachment(
            named: digest.text, contentType: "application/octet-stream", chunks: chunks)
        guard lease.digest == digest.text else {
            try await database.discard(lease)
            throw Refusal(
                .unprocessableContent,
                "The content has another SHA-256 than the path names; it was changed or cut on "
                    + "the way, so send it again.")
        }
        if let earlier = held.add(lease, digest: digest, by: identity, now: now()) {
            try await database.discard(earlier)
        }
        return wasKnown
    }

    /// The refusal of an attachment whose content has to be uploaded first.
    static func contentMissing(_ name: String) -> Refusal {
        Refusal(
            .unprocessableContent,
            "The server does not have the content of the attachment '\(name)' from you; upload it "
                + "first.")
    }
}
