import SettleDocuments
import SettleStorage

/// What became of a document of an export.
enum Restoration: Sendable {
    case added, replaced, unchanged, kept
}

extension Transaction {
    /// Stores a document as it was exported, with its revision, dates, and sequence.
    ///
    /// - Parameters:
    ///   - document: The document; its contents must be in the store.
    ///   - policy: What becomes of another version that is there.
    ///   - isCopy: True when the database was empty, and becomes a copy of the exported one.
    /// - Returns: What was done.
    /// - Throws: ``ExportFault`` when the document is there and must not be, or when a content that
    ///   should have come with it is not in the store; ``DatabaseError`` when the store cannot take it.
    func restore(
        _ document: ExportedDocument, existing policy: ExistingDocuments, isCopy: Bool
    ) throws -> Restoration {
        try DatabaseError.translating {
            let existing = try base.record(document.id)
            if existing?.revision == document.record.revision { return .unchanged }
            let isThere = existing.map { !$0.isDeleted } ?? false
            if isThere {
                switch policy {
                case .keep: return .kept
                case .replace: break
                case .fail: throw ExportFault.documentExists(document.id)
                }
            }
            try checkContents(of: document)
            var record = document.record
            // In a database that replicates, what is imported is a change made here; taken for one
            // that has just come from the remote, it would never be sent to it.
            if !isCopy { record.origin = nil }
            try store.restore(record, path: document.path, of: document.id)
            return isThere ? .replaced : .added
        }
    }

    /// Stores a leaf that lost, of a document that was restored or is the same.
    ///
    /// - Parameters:
    ///   - leaf: The leaf.
    ///   - document: What became of its document.
    ///   - isCopy: As in ``restore(_:existing:isCopy:)``.
    /// - Throws: ``ExportFault`` when it is no such leaf; ``DatabaseError`` when the store cannot take it.
    func restoreLeaf(
        _ leaf: ExportedDocument, after document: Restoration?, isCopy: Bool
    ) throws {
        guard let document, document != .kept, let path = leaf.path else { return }
        try DatabaseError.translating {
            try checkContents(of: leaf)
            var record = leaf.record
            if !isCopy { record.origin = nil }
            let isNew = try store.restoreLeaf(record, path: path, of: leaf.id)
            guard isNew || document == .unchanged else {
                throw ExportFault(
                    "The leaf is not one that loses to its document. Export again.",
                    documentId: leaf.id)
            }
        }
    }

    private func checkContents(of document: ExportedDocument) throws {
        for digest in document.contents where try !base.hasContent(digest) {
            throw ExportFault(
                "The content of an attachment does not come with the export. Export again.",
                documentId: document.id)
        }
    }

    /// Stores content of one chunk, held until ``endUploads(_:)``.
    ///
    /// - Returns: The number of the upload.
    func hold(_ content: SmallContent) throws -> UInt64 {
        try DatabaseError.translating {
            let upload = try store.beginUpload()
            if !content.bytes.isEmpty {
                try store.append(content.bytes, at: 0, toUpload: upload)
            }
            try store.finishUpload(
                upload, as: content.digest, length: content.bytes.count)
            return upload
        }
    }

    /// Ends the hold on contents; those that no document attaches go.
    func endUploads(_ uploads: some Sequence<Int>) throws {
        try DatabaseError.translating {
            for upload in uploads { try store.endUpload(UInt64(upload)) }
        }
    }

    /// Goes on counting where an exported database did; a lower sequence changes nothing.
    func raiseSequence(to sequence: UInt64) {
        store.raiseSequence(to: sequence)
    }
}

/// Content that fits in one chunk.
struct SmallContent: Sendable {
    let digest: ContentDigest
    let bytes: [UInt8]
}

extension ExportFault {
    static func documentExists(_ id: String) -> ExportFault {
        ExportFault(
            "The database has another version of this document. Import with the choice to keep "
                + "or to replace documents that are there.", code: .documentExists,
            documentId: id)
    }
}
