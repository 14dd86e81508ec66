import Foundation
import Settle

extension CouchDatabase {
    /// An attachment of a document, with its MD5.
    func attachment(
        _ name: String, of id: String, _ revision: String?
    ) throws -> (attachment: DocumentAttachment, md5: String) {
        try database.read { snapshot in
            let tree = try tree(of: id, in: snapshot)
            let named = revision.flatMap { RevisionName($0) }.flatMap { tree?.leaf($0) }
            guard let leaf = revision == nil ? tree?.winner : named, !leaf.isDeleted,
                let document = try snapshot.document(id, atRevision: leaf.name.description)
            else { throw CouchError.missing }
            guard let found = document.attachments.first(where: { $0.name == name }) else {
                throw CouchError.noAttachment
            }
            return (found, try Self.md5(of: found, in: snapshot))
        }
    }

    /// Stores an attachment of a document, which is made when there is none.
    ///
    /// - Parameters:
    ///   - name: The name of the attachment.
    ///   - id: The document.
    ///   - revision: The leaf to follow; nil for a document that is not there.
    ///   - content: Its type, and the content as it comes.
    /// - Returns: The new revision of the document.
    /// - Throws: ``CouchError``, ``DatabaseError``. No content stays then.
    func putAttachment(
        _ name: String, of id: String, _ revision: String?,
        _ content: (type: String, upload: CouchUpload)
    ) async throws -> String {
        try CouchInput.check(id)
        // What is refused anyway need not come.
        _ = try database.read { try document(id, toChangeAt: revision, in: $0) }
        let taken = try await CouchContent(
            taking: content.upload.chunks, named: name, type: content.type,
            bytesMax: content.upload.contentBytesMax, into: database)
        let result: Result<String, any Error>
        do {
            result = .success(
                try await setAttachment(name, of: id, revision, (content.type, taken)))
        } catch {
            result = .failure(error)
        }
        await taken.discard(from: database)
        return try result.get()
    }

    /// The document whose attachments a request changes: at a leaf or, without a revision, a new one.
    ///
    /// - Throws: ``CouchError`` when it is not there, or not the sender's to change; ``DatabaseError``.
    private func document(
        _ id: String, toChangeAt revision: String?, in snapshot: Snapshot
    ) throws -> Document {
        let tree = try snapshot.revisionTree(of: id)
        let document: Document
        if let revision {
            guard let parsed = RevisionName(revision) else { throw CouchError.invalidRevision }
            guard tree?.leaf(parsed) != nil,
                let found = try snapshot.document(id, atRevision: revision)
            else { throw CouchError.conflict }
            document = found
        } else {
            // Only a document that is not there gets one without its revision.
            guard tree?.winner?.isDeleted ?? true else { throw CouchError.conflict }
            document = Document(id: id)
        }
        try checkWrite(
            of: document.packed(), isDeleted: false, to: id, tree, hidden: .conflict, in: snapshot)
        return document
    }

    /// Stores, or with nil removes, an attachment of a document, which is made when there is none.
    ///
    /// - Returns: The new revision of the document.
    func setAttachment(
        _ name: String, of id: String, _ revision: String?,
        _ content: (type: String, content: CouchContent)?
    ) async throws -> String {
        try CouchInput.check(id)
        return try await database.write { transaction in
            var document = try document(id, toChangeAt: revision, in: transaction)
            guard content != nil || document.attachments.contains(where: { $0.name == name })
            else { throw CouchError.noAttachment }
            document.attachments.removeAll { $0.name == name }
            if let content {
                document.attachments.append(
                    try Self.attachment(name, content.type, content.content, in: transaction))
            }
            guard let revision, let parsed = RevisionName(revision) else {
                return try transaction.save(document).metaData.revision ?? ""
            }
            let older = try Self.generations(of: parsed, id, in: transaction)
            var generations: [String: Int] = [:]
            for kept in document.attachments where content == nil || kept.name != name {
                generations[kept.name] = older[kept.name] ?? Int(parsed.generation)
            }
            let next =
                try transaction.save(document, afterLeaf: revision).metaData.revision ?? ""
            try Self.noteGenerations(
                generations, as: next, after: parsed, of: id, in: transaction)
            return next
        }
    }
}
