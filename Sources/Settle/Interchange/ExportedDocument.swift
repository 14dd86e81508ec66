import SettleDocuments
import SettleStorage

/// A document as an export has it, or one of its leaves that lost.
struct ExportedDocument: Equatable {
    let id: String
    var record: DocumentRecord
    /// The digests of the attachments whose content comes with the export.
    let contents: [ContentDigest]
    /// Its revision and all before it, when a record cannot name them.
    var path: RevisionPath?
    /// Whether it is a leaf that lost, of the document before it.
    var isLeaf = false

    /// The revision as it is written.
    var revision: String { path?.name.description ?? record.revision.description }

    /// The digests of the revisions before it, as they are written.
    var ancestors: [String] {
        let digests = path.map { Array($0.digests.dropFirst()) }
        return (digests ?? record.ancestors.map { .bytes($0) }).map(\.description)
    }
}

extension DocumentRecord {
    /// True when the revision is the one that an edit of the newest ancestor to this body gives, or was given.
    var hasFittingRevision: Bool {
        guard ancestors.count <= Self.ancestorCountMax, ancestors.count < revision.generation
        else { return false }
        if isGiven { return true }
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
