import Foundation
import HTTPTypes
import NIOCore
import Settle

/// Adding an attachment to a document, replacing and removing one: what would be different is shown first.
enum AttachmentPage {
    /// The longest content that is taken.
    static let contentMax = 1 << 30
    /// The most bytes of the fields beside the file.
    private static let fieldsMax = 64 << 10

    /// The form that sends a file.
    static func content(_ request: PageRequest) throws -> PageContent {
        let document = try request.writableDocument()
        let name = request.values["name"] ?? ""
        let form = Form(
            action: request.address("attachment/review"),
            fields: [
                Field(
                    name: "name", label: "Name", value: name,
                    hint: "That of the file, when it is left empty."),
                Field(
                    name: "type", label: "Type", value: "",
                    hint: "Such as image/png; what the browser says, when it is left empty."),
                Field(name: "file", label: "File", kind: .file),
            ],
            hidden: [("id", document.id), ("revision", document.metaData.revision ?? "")],
            button: "Show what is different")
        let shown = VisibleText.beginning(of: document.id)
        return PageContent(
            title: name.isEmpty ? "Attach to \(shown)" : "Replace an attachment of \(shown)",
            blocks: [.form(form)])
    }

    /// Takes a file, and shows what it would change.
    ///
    /// The content goes to the database while it comes, and waits there; see ``StagedAttachments``.
    ///
    /// - Throws: ``PageProblem`` 400 for a form without a file, 413 for one that is too long; what the database throws.
    static func review<Body: AsyncSequence>(
        _ request: PageRequest, contentType: String, _ body: Body
    ) async throws -> PageContent where Body.Element == [UInt8] {
        let reader = try MultipartReader(contentType: contentType, body)
        var fields: [String: String] = [:]
        var room = fieldsMax
        while let part = try await reader.nextPart() {
            guard let fileName = part.fileName else {
                var bytes: [UInt8] = []
                while let chunk = try await reader.nextChunk() {
                    bytes += chunk
                    room -= chunk.count
                    guard room >= 0 else { throw PageProblem.unusable("The form is too long.") }
                }
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw MalformedForm()
                }
                if fields[part.name] == nil { fields[part.name] = text }
                continue
            }
            guard let values = FormValues(fields) else { throw MalformedForm() }
            return try await staged(
                request.with(values), fileName, part.contentType,
                MultipartChunks(reader: reader, countMax: contentMax))
        }
        throw PageProblem.unusable("There is no file in the form. Go back and choose one.")
    }

    private static func staged<Chunks: AsyncSequence>(
        _ request: PageRequest, _ fileName: String, _ type: String?, _ chunks: Chunks
    ) async throws -> PageContent where Chunks.Element == Data {
        let document = try request.writableDocument()
        let plainName = fileName.split { $0 == "/" || $0 == "\\" }.last.map(String.init)
        guard let name = request.values.filled("name") ?? plainName else {
            throw PageProblem.unusable("There is no file in the form. Go back and choose one.")
        }
        let attachment = try await request.database.storeAttachment(
            named: name,
            contentType: request.values.filled("type") ?? type ?? "application/octet-stream",
            chunks: chunks)
        let old = document.attachments.first { $0.name == name }
        let key = await request.staged.add(
            StagedAttachments.Staged(
                database: request.database, documentId: document.id,
                revision: request.values["revision"] ?? "", attachment: attachment))
        let shown = VisibleText.beginning(of: name)
        return PageContent(
            title: "Differences in \(VisibleText.beginning(of: document.id))",
            blocks: warnings(document, request) + [
                .table(differences(from: old, to: attachment)),
                .form(
                    .button(
                        old == nil ? "Attach" : "Replace", request.address("attachment/save"),
                        [("key", key)], about: shown)),
                .form(
                    .button(
                        "Discard", request.address("attachment/discard"), [("key", key)],
                        about: shown)),
            ])
    }

    /// What removing an attachment would change, with the button that does it.
    static func removal(_ request: PageRequest) throws -> PageContent {
        let document = try request.writableDocument()
        let name = try request.required("name")
        guard let attachment = document.attachments.first(where: { $0.name == name }) else {
            throw PageProblem.missing("There is no such attachment here.")
        }
        return PageContent(
            title: "Differences in \(VisibleText.beginning(of: document.id))",
            blocks: [
                .table(differences(from: attachment, to: nil)),
                .form(
                    .button(
                        "Remove", request.address("attachment/remove"),
                        [
                            ("id", document.id), ("name", name),
                            ("revision", document.metaData.revision ?? ""),
                        ], isDanger: true, about: name)),
            ])
    }

    /// What is different between two attachments of one name.
    private static func differences(
        from old: DocumentAttachment?, to new: DocumentAttachment?
    ) -> Table {
        var table = Table(
            caption: "What is different", columns: ["Attachment", "Before", "After"],
            emptiness: "Nothing is different.")
        let rows: [(String, (DocumentAttachment) -> String)] = [
            ("Name", { $0.name }), ("Type", { $0.contentType }),
            ("Length", { Amounts.bytes($0.length) }), ("Digest", { $0.digest }),
        ]
        for (label, text) in rows {
            let (before, after) = (old.map(text), new.map(text))
            if before == after { continue }
            table.add(.name(label), .stored(before ?? "—"), .stored(after ?? "—"))
        }
        return table
    }

    private static func warnings(_ document: Document, _ request: PageRequest) -> [Block] {
        guard document.metaData.revision != request.values["revision"] else { return [] }
        return [
            .warning(
                "The document was changed meanwhile. Saving is refused; look at it as it is now.",
                link: PageLink(
                    text: "The document", address: request.address(ofDocument: document.id)))
        ]
    }

    // MARK: What forms do

    /// Attaches a content that waits.
    ///
    /// - Returns: The document.
    /// - Throws: ``PageProblem`` 404 when it does not wait any more, 409 when the document is another than the page showed.
    static func save(_ request: PageRequest) async throws -> String {
        let staged = try staged(request)
        let attachment = staged.attachment
        do {
            try await change(request.database, staged.documentId, staged.revision) { attachments in
                if let index = attachments.firstIndex(where: { $0.name == attachment.name }) {
                    attachments[index] = attachment
                } else {
                    attachments.append(attachment)
                }
            }
        } catch {
            await StagedAttachments.discard(staged)
            throw error
        }
        return staged.documentId
    }

    /// Removes a content that waits.
    ///
    /// - Returns: The document that it was for.
    /// - Throws: ``PageProblem`` 404 when it does not wait any more.
    static func discard(_ request: PageRequest) async throws -> String {
        let staged = try staged(request)
        await StagedAttachments.discard(staged)
        return staged.documentId
    }

    private static func staged(_ request: PageRequest) throws -> StagedAttachments.Staged {
        guard let staged = request.staged.take(try request.required("key")),
            staged.database === request.database
        else {
            throw PageProblem.missing("The file does not wait any more. Choose it again.")
        }
        return staged
    }

    /// Removes an attachment of a document.
    ///
    /// - Returns: The document.
    /// - Throws: ``PageProblem`` 409 when the document is another than the page showed.
    static func remove(_ request: PageRequest) async throws -> String {
        let (id, name) = (try request.required("id"), try request.required("name"))
        try await change(request.database, id, request.values["revision"] ?? "") { attachments in
            attachments.removeAll { $0.name == name }
        }
        return id
    }

    private static func change(
        _ database: Database, _ id: String, _ revision: String,
        _ change: @escaping @Sendable (inout [DocumentAttachment]) -> Void
    ) async throws {
        try await database.write { transaction in
            guard var document = try transaction.document(id),
                document.metaData.revision == revision
            else { throw PageProblem.changed(id) }
            change(&document.attachments)
            _ = try transaction.update(document)
        }
    }
}

/// The content of the part that a reader is at, as the database takes it.
private struct MultipartChunks<Source: AsyncSequence>: AsyncSequence, AsyncIteratorProtocol
where Source.Element == [UInt8] {
    let reader: MultipartReader<Source>
    let countMax: Int
    private var count = 0

    init(reader: MultipartReader<Source>, countMax: Int) {
        self.reader = reader
        self.countMax = countMax
    }

    func makeAsyncIterator() -> Self { self }

    mutating func next() async throws -> Data? {
        guard let chunk = try await reader.nextChunk() else { return nil }
        count += chunk.count
        guard count <= countMax else {
            throw PageProblem(
                status: .contentTooLarge,
                message: "The file is longer than \(Amounts.bytes(countMax)).")
        }
        return Data(chunk)
    }
}
