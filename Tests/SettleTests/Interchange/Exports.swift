import Foundation
import Settle
import TestSupport
import Testing

/// What a test exports, and reads back.
struct Exports {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory("export")
    }

    /// A file of the test; whether it is there is not looked at.
    func file(_ name: String = "export.ndjson") -> URL { scratch.file(name) }

    /// The export of a database as text.
    func text(
        of database: Database, _ attachments: ExportedAttachments = .inline
    ) async throws -> String {
        let url = file("\(UUID().uuidString).ndjson")
        try await database.exportDocuments(to: url, attachments: attachments)
        return try String(contentsOf: url, encoding: .utf8)
    }

    /// Imports a text.
    @discardableResult
    func add(
        _ text: String, to database: Database, existing: ExistingDocuments = .keep
    ) async throws -> ImportSummary {
        let url = try scratch.write(text, to: "\(UUID().uuidString).ndjson")
        return try await database.importDocuments(from: url, existing: existing)
    }

    /// The error of an import that is refused.
    func refusal(of text: String, by database: Database) async throws -> DatabaseError? {
        do {
            try await add(text, to: database)
            return nil
        } catch let error as DatabaseError {
            return error
        }
    }
}

/// All that can be seen of the documents of a database.
struct VisibleDocuments: Equatable {
    struct Attachment: Equatable {
        let name: String
        let contentType: String
        let length: Int
        let digest: String
        let content: Data?
    }

    struct Entry: Equatable {
        let members: [String: JSONValue]
        let metaData: Document.MetaData
        let attachments: [Attachment]
    }

    let entries: [String: Entry]
    let changes: ChangeBatch
    let documentCount: Int
    let deletedCount: Int

    init(of database: Database) throws {
        var documents: [Document] = []
        (documentCount, deletedCount, changes) = try database.read { snapshot in
            try snapshot.forEachDocument(includingDeleted: true) { document in
                documents.append(document)
                return true
            }
            return (
                snapshot.documentCount, snapshot.deletedDocumentCount,
                try snapshot.changes(since: 0)
            )
        }
        var entries: [String: Entry] = [:]
        for document in documents {
            let attachments = try document.attachments.map { attachment in
                Attachment(
                    name: attachment.name, contentType: attachment.contentType,
                    length: attachment.length, digest: attachment.digest,
                    content: try attachment.isContentAvailable ? attachment.data() : nil)
            }
            entries[document.id] = Entry(
                members: document.json, metaData: document.metaData, attachments: attachments)
        }
        self.entries = entries
    }
}
