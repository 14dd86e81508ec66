import SettleDocuments
import SettleStorage

/// A document as an export has it.
struct ExportedDocument: Equatable {
    let id: String
    let record: DocumentRecord
    /// The digests of the attachments whose content comes with the export.
    let contents: [ContentDigest]
}

extension DocumentRecord {
    /// True when the revision is the one that an edit of the newest ancestor to this body gives.
    var hasFittingRevision: Bool {
        guard ancestors.count <= Self.ancestorCountMax, ancestors.count < revision.generation
        else { return false }
        guard let parent = ancestors.first else {
            return revision.generation == 1 && revision.digest == digest(after: nil, 0)
        }
        let before = revision.generation - 1
        // The last generation is its own successor (Docs/Formats/Revisions.md).
        return revision.digest == digest(after: parent, before)
            || revision.generation == .max && revision.digest == digest(after: parent, .max)
    }

    private func digest(
        after parent: Revision.Digest?, _ generation: UInt32
    ) -> Revision.Digest {
        Revision.digest(
            parentGeneration: generation, parent: parent, isDeleted: isDeleted, body: body,
            attachments: attachments.isEmpty ? [] : AttachmentRecord.encode(attachments))
    }
}
