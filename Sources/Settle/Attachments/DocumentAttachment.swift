public import Foundation
import SettleDocuments
import SettleStorage

/// Content that is stored with a document: a picture, a recording, a text.
///
/// Content is stored once however many documents attach it, and goes when the last of them does.
/// It is held in memory while it is read or written, so it should be far smaller than the memory.
public struct DocumentAttachment: Sendable {
    /// The name, unique in its document.
    public let name: String
    /// What kind of content it is, `image/png` for example.
    public let contentType: String
    /// The length of the content in bytes.
    public let length: Int
    private let content: Content

    private enum Content: Sendable {
        case memory(Data)
        case stored(AttachmentRecord, Database?)
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

    init(_ record: AttachmentRecord, in database: Database?) {
        name = record.name
        contentType = record.contentType
        length = record.length
        content = .stored(record, database)
    }

    /// The SHA-256 of the content, 64 hexadecimal digits.
    ///
    /// Cost: known for stored content; worked out at each call for content in memory.
    public var digest: String {
        switch content {
        case .memory(let data): ContentDigest(of: [UInt8](data)).description
        case .stored(let record, _): record.digest.description
        }
    }

    /// The content.
    ///
    /// - Throws: ``DatabaseError`` with `databaseClosed`; `documentNotFound` when no document attaches
    ///   the content any more, or when it is asked for in a map function, which gets documents
    ///   without their content; `corrupted` when what is stored does not have the digest.
    public func data() throws -> Data {
        switch content {
        case .memory(let data):
            return data
        case .stored(let record, let database):
            let found = try database?.read { try $0.content(record.digest) }
            guard let found else {
                throw DatabaseError(
                    .documentNotFound,
                    "The content of the attachment '\(name)' is not in the database any more.")
            }
            return Data(found)
        }
    }

    /// What the store keeps of it; nil for content in memory.
    var record: AttachmentRecord? {
        if case .stored(let record, _) = content { record } else { nil }
    }
}

extension DocumentAttachment: Equatable {
    /// True when name, type, and content are the same.
    public static func == (left: DocumentAttachment, right: DocumentAttachment) -> Bool {
        left.name == right.name && left.contentType == right.contentType
            && left.length == right.length && left.digest == right.digest
    }
}

extension Snapshot {
    func content(_ digest: ContentDigest) throws -> [UInt8]? {
        try DatabaseError.translating { try base.content(digest) }
    }
}
