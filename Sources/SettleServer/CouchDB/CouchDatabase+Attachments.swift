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

    /// Stores, or with nil removes, an attachment of a document, which is made when there is none.
    ///
    /// - Returns: The new revision of the document.
    func setAttachment(
        _ name: String, of id: String, _ revision: String?, _ content: (type: String, data: Data)?
    ) async throws -> String {
        try CouchInput.check(id)
        return try await database.write { transaction in
            let tree = try transaction.revisionTree(of: id)
            func check(_ document: Document) throws {
                try checkWrite(
                    of: document.packed(), isDeleted: false, to: id, tree, hidden: .conflict,
                    in: transaction)
            }
            guard let revision else {
                // Only a document that is not there gets one without its revision.
                guard let content, tree?.winner?.isDeleted ?? true else {
                    throw CouchError.conflict
                }
                var document = Document(id: id)
                try check(document)
                try Self.noteMD5(of: content.data, in: transaction)
                document.attachments = [
                    DocumentAttachment(name: name, contentType: content.type, data: content.data)
                ]
                return try transaction.save(document).metaData.revision ?? ""
            }
            guard let parsed = RevisionName(revision) else { throw CouchError.invalidRevision }
            guard tree?.leaf(parsed) != nil,
                var document = try transaction.document(id, atRevision: revision)
            else { throw CouchError.conflict }
            try check(document)
            guard content != nil || document.attachments.contains(where: { $0.name == name })
            else { throw CouchError.noAttachment }
            document.attachments.removeAll { $0.name == name }
            if let content {
                try Self.noteMD5(of: content.data, in: transaction)
                document.attachments.append(
                    DocumentAttachment(name: name, contentType: content.type, data: content.data))
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
