import Foundation
import Settle

/// Gives revisions that were fetched the contents of their attachments.
struct RevisionContents: Sendable {
    let database: Database
    let backend: any RevisionBackend

    /// Why a revision cannot be stored, which concerns it alone.
    struct Fault: Error { let fault: ItemFault }

    /// The attachments of a revision, their content fetched where it did not come along and is not here.
    ///
    /// - Returns: The attachments, in the order of their descriptions, and how many were fetched.
    /// - Throws: ``Fault``; what the database and the remote throw.
    func attachments(
        of revision: ReceivedRevision
    ) async throws -> (attachments: [DocumentAttachment], fetchedCount: Int) {
        if revision.attachments.isEmpty { return ([], 0) }
        let known = try Known(revision, in: database)
        let missing = revision.attachments.filter {
            $0.data == nil && $0.digest.flatMap { known.contents[$0] } == nil
        }
        // Several that are not long come together.
        let together = try await contents(of: missing, revision, known.revisions)
        var attachments: [DocumentAttachment] = []
        for described in revision.attachments {
            if let data = described.data ?? together[described.name] {
                attachments.append(
                    DocumentAttachment(
                        name: described.name, contentType: described.contentType, data: data))
            } else if let (digest, length) = described.digest.flatMap({ known.contents[$0] }) {
                attachments.append(
                    try DocumentAttachment(
                        name: described.name, contentType: described.contentType, length: length,
                        digest: digest))
            } else {
                attachments.append(try await fetch(described, of: revision))
            }
        }
        return (attachments, missing.count)
    }

    /// What leaves of a document have here.
    private struct Known {
        /// The contents, by what the remote calls them.
        var contents: [String: (digest: String, length: Int)] = [:]
        /// The leaves whose contents are all here.
        var revisions: [String] = []

        init(_ revision: ReceivedRevision, in database: Database) throws {
            try database.read { snapshot in
                var lengths: [String: Int] = [:]
                for leaf in try snapshot.revisionTree(of: revision.id)?.sortedLeaves ?? [] {
                    let name = leaf.name.description
                    guard let document = try snapshot.document(revision.id, atRevision: name)
                    else { continue }
                    let here = try document.attachments.filter { try $0.isContentAvailable }
                    for attachment in here { lengths[attachment.digest] = attachment.length }
                    if here.count == document.attachments.count { revisions.append(name) }
                }
                for name in revision.attachments.compactMap(\.digest) {
                    guard let digest = try RevisionTables.content(name, in: snapshot),
                        let length = lengths[digest]
                    else { continue }
                    contents[name] = (digest, length)
                }
            }
        }
    }

    private func contents(
        of missing: [FetchedAttachment], _ revision: ReceivedRevision, _ known: [String]
    ) async throws -> [String: Data] {
        guard missing.count > 1 else { return [:] }
        let found = try await backend.contents(of: missing, revision, having: known)
        // What is not as long as it is said to be is fetched by itself, where that is a failure.
        let lengths = Dictionary(missing.map { ($0.name, $0.length) }) { first, _ in first }
        return found.filter { name, data in lengths[name] == .some(data.count) }
    }

    private func fetch(
        _ described: FetchedAttachment, of revision: ReceivedRevision
    ) async throws -> DocumentAttachment {
        let chunks: AsyncThrowingStream<Data, any Error>?
        do {
            chunks = try await backend.content(of: described, revision)
        } catch  where error.code == .responseTooLarge {
            throw Fault(fault: ItemFault(error.message, member: "_attachments"))
        }
        guard let chunks else {
            throw Fault(
                fault: ItemFault(
                    "The remote does not have the content of an attachment.",
                    member: "_attachments"))
        }
        let attachment = try await database.storeAttachment(
            named: described.name, contentType: described.contentType, chunks: chunks)
        if let length = described.length, length != attachment.length {
            throw ReplicationError(
                .protocolViolation,
                "The content of an attachment is not as long as the remote says.",
                documentId: revision.id)
        }
        return attachment
    }
}

/// A revision with the contents of its attachments, ready to be stored.
struct ReadyRevision: Sendable {
    let revision: ReceivedRevision
    let attachments: [DocumentAttachment]

    /// Stores the revision, what the remote calls its contents, and which of them it has.
    ///
    /// - Parameters:
    ///   - origin: The remote.
    ///   - tables: What is kept of it.
    ///   - transaction: The transaction.
    /// - Returns: False when it was known.
    /// - Throws: What the database throws.
    func store(
        from origin: String, _ tables: RemoteTables, in transaction: Transaction
    ) throws -> Bool {
        var document = Document(id: revision.id, packed: revision.members)
        document.attachments = attachments
        let isNew = try transaction.store(
            document, revisions: revision.path, isDeleted: revision.isDeleted, from: origin)
        guard isNew else { return false }
        for (remote, here) in zip(revision.attachments, attachments) {
            guard let name = remote.digest else { continue }
            try RevisionTables.noteContent(name, here.digest, in: transaction)
        }
        if let note = AttachmentNote(document, revision.path[0]) {
            try tables.setNote(note, in: transaction)
        }
        return true
    }
}
