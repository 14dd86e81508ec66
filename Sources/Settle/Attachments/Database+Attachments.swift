public import Foundation
import SettleDocuments
import SettleStorage

extension Database {
    /// Stores the content of a file, in constant memory, for a document to attach.
    ///
    /// The content waits in the database for a document: add the attachment to one and save it. Content that
    /// no document has taken a day later is removed when the database is opened or compacted.
    ///
    /// ```swift
    /// let film = try await database.storeAttachment(
    ///     named: "film.mp4", contentType: "video/mp4", contentsOf: file)
    /// var holiday: Document = ["id": "holiday"]
    /// holiday.attachments = [film]
    /// holiday = try await database.save(holiday)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the attachment, unique in its document.
    ///   - contentType: What kind of content it is.
    ///   - url: The file.
    /// - Returns: The attachment.
    /// - Throws: ``DatabaseError`` with `invalidFileLocation` when the URL is not that of a file,
    ///   `inputOutput` when the file cannot be read; `diskFull` and the like when the store cannot take
    ///   it; `CancellationError` when the task is cancelled. Nothing is left then.
    public func storeAttachment(
        named name: String, contentType: String, contentsOf url: URL
    ) async throws -> DocumentAttachment {
        try await storeAttachment(
            named: name, contentType: contentType, chunks: try FileChunks(url))
    }

    /// Stores content that comes in chunks, in constant memory, for a document to attach; see
    /// ``storeAttachment(named:contentType:contentsOf:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the attachment, unique in its document.
    ///   - contentType: What kind of content it is.
    ///   - chunks: The content in pieces of any length.
    /// - Returns: The attachment.
    /// - Throws: What `chunks` throws; otherwise as the other form.
    public func storeAttachment<Source: AsyncSequence>(
        named name: String, contentType: String, chunks: Source
    ) async throws -> DocumentAttachment where Source.Element == Data {
        let upload = try await ContentStaging(to: store)
        let (digest, length) = try await upload.take(chunks, expecting: nil)
        let record = AttachmentRecord(
            name: name, contentType: contentType, digest: digest, length: length)
        return DocumentAttachment(record, in: store, upload: upload.number)
    }

    /// Brings in the content of an attachment that was only described, in constant memory.
    ///
    /// Every document that attaches the same content has it from then on.
    ///
    /// - Parameters:
    ///   - attachment: An attachment of a saved document.
    ///   - url: A file with the content.
    /// - Throws: ``DatabaseError`` with `invalidAttachment` when the file holds something else, or the attachment is
    ///   described with another length (nothing is changed then), `invalidFileLocation` when the URL is not that of a file, or `inputOutput` when
    ///   the file cannot be read; `diskFull` and the like.
    public func provideContent(
        of attachment: DocumentAttachment, contentsOf url: URL
    ) async throws {
        try await provideContent(of: attachment, chunks: try FileChunks(url))
    }

    /// Brings in the content of an attachment that was only described; see
    /// ``provideContent(of:contentsOf:)``.
    ///
    /// - Parameters:
    ///   - attachment: An attachment of a saved document.
    ///   - chunks: The content in pieces of any length.
    /// - Throws: What `chunks` throws; otherwise as the other form.
    public func provideContent<Source: AsyncSequence>(
        of attachment: DocumentAttachment, chunks: Source
    ) async throws where Source.Element == Data {
        try await provideContent(of: attachment, chunks: chunks, length: attachment.length)
    }

    /// Brings in the content of an attachment whose description came from elsewhere, and may have any length.
    ///
    /// - Parameters:
    ///   - attachment: An attachment of a saved document.
    ///   - chunks: The content in pieces of any length.
    ///   - length: The length that it must have; nil for any.
    /// - Throws: As ``provideContent(of:chunks:)``.
    package func provideContent<Source: AsyncSequence>(
        of attachment: DocumentAttachment, chunks: Source, length: Int?
    ) async throws where Source.Element == Data {
        guard let record = attachment.record, try !read({ try $0.hasContent(record.digest) })
        else { return }
        let upload = try await ContentStaging(to: store)
        _ = try await upload.take(chunks, expecting: record.digest, length: length)
        try await upload.end()
    }

    /// Removes content that was stored for a document and that no document has taken.
    ///
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    public func discard(_ attachment: DocumentAttachment) async throws {
        guard let upload = attachment.upload, upload.store === store else { return }
        try await DatabaseError.translating {
            _ = try await store.write { try $0.endUpload(upload.number) }
        }
    }
}
