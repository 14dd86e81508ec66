public import Foundation
import SettleDocuments
import SettleStorage

/// Content that is stored with a document: a picture, a recording, a text.
///
/// Content is stored once however many documents attach it, and goes when the last of them does.
/// Small content is given as `Data`; content of any size is brought in by
/// ``Database/storeAttachment(named:contentType:contentsOf:)`` and read by ``chunks``, both in
/// constant memory. An attachment may also be described only, its content to come later.
///
/// ```swift
/// var postcard: Document = ["id": "postcard"]
/// postcard.attachments = [
///     DocumentAttachment(name: "front.jpg", contentType: "image/jpeg", data: picture)
/// ]
/// postcard = try await database.save(postcard)
/// let front = try postcard.attachments[0].data()
/// ```
public struct DocumentAttachment: Sendable {
    /// The name, unique in its document.
    public let name: String
    /// What kind of content it is, `image/png` for example.
    public let contentType: String
    /// The length of the content in bytes.
    public let length: Int
    let content: Content

    enum Content: Sendable {
        case memory(Data)
        case stored(AttachmentRecord, Store?, Upload?)
        /// Made without content; after it was saved it is looked for in the store.
        case described(AttachmentRecord, Store?)
    }

    /// Content that is in the database already and waits for a document.
    struct Upload: Sendable {
        let number: UInt64
        let store: Store
    }

    /// An attachment of content in memory; it is stored when its document is saved.
    ///
    /// - Parameters:
    ///   - name: The name, unique in its document.
    ///   - contentType: What kind of content it is.
    ///   - data: The content.
    public init(name: String, contentType: String, data: Data) {
        self.name = name
        self.contentType = contentType
        length = data.count
        content = .memory(data)
    }

    /// An attachment whose content is not here yet.
    ///
    /// A document can be saved with it. ``Database/provideContent(of:contentsOf:)`` brings the
    /// content in later; if the database has the content already, the attachment has it at once.
    ///
    /// - Parameters:
    ///   - name: The name, unique in its document.
    ///   - contentType: What kind of content it is.
    ///   - length: The length of the content in bytes, 0 or more; saving and providing content throw
    ///     ``DatabaseError`` with `invalidAttachment` when it is another one.
    ///   - digest: The SHA-256 of the content, 64 hexadecimal digits in lower case.
    /// - Throws: ``DatabaseError`` with `invalidAttachment` when `digest` is no such text or `length`
    ///   is negative.
    public init(name: String, contentType: String, length: Int, digest: String) throws {
        guard let contentDigest = ContentDigest(digest) else {
            throw DatabaseError(
                .invalidAttachment,
                "The digest of the attachment '\(name)' is not 64 hexadecimal digits in lower "
                    + "case.")
        }
        guard length >= 0 else {
            throw DatabaseError(
                .invalidAttachment, "The attachment '\(name)' has a negative length.")
        }
        self.name = name
        self.contentType = contentType
        self.length = length
        content = .described(
            AttachmentRecord(
                name: name, contentType: contentType, digest: contentDigest, length: length), nil)
    }

    init(_ record: AttachmentRecord, in store: Store?, upload: UInt64? = nil) {
        name = record.name
        contentType = record.contentType
        length = record.length
        let lease = store.flatMap { store in
            upload.map { Upload(number: $0, store: store) }
        }
        content = .stored(record, store, lease)
    }

    private init(_ given: DocumentAttachment, _ content: Content) {
        name = given.name
        contentType = given.contentType
        length = given.length
        self.content = content
    }

    /// The attachment after its document was saved: its content is that of the store.
    ///
    /// Content in memory stays as it was given, so that it can be read before the commit.
    func saved(in store: Store) -> DocumentAttachment {
        switch content {
        case .memory: self
        case .stored(_, let own, _) where own === store: self
        case .stored(let record, _, _): DocumentAttachment(self, .stored(record, store, nil))
        case .described(let record, _): DocumentAttachment(self, .described(record, store))
        }
    }

    /// The SHA-256 of the content, 64 hexadecimal digits.
    ///
    /// Cost: known for stored content; worked out at each call for content in memory.
    public var digest: String {
        switch content {
        case .memory(let data): ContentDigest(of: [UInt8](data)).description
        case .stored(let record, _, _), .described(let record, _): record.digest.description
        }
    }

    /// What the store keeps of it; nil for content in memory.
    var record: AttachmentRecord? {
        switch content {
        case .memory: nil
        case .stored(let record, _, _), .described(let record, _): record
        }
    }

    /// True for an attachment that was made without content.
    var isDescription: Bool {
        if case .described = content { true } else { false }
    }

    /// What holds the content until a document takes it; nil when nothing has to.
    var upload: Upload? {
        if case .stored(_, _, let upload) = content { upload } else { nil }
    }
}

extension DocumentAttachment: Equatable {
    /// True when name, type, and content are the same.
    public static func == (left: DocumentAttachment, right: DocumentAttachment) -> Bool {
        left.name == right.name && left.contentType == right.contentType
            && left.length == right.length && left.digest == right.digest
    }
}
