package import SettleDocuments
import SettlePrimitives

/// What a document's record says of one attachment; the content lies in the blob tables.
package struct AttachmentRecord: Sendable, Equatable {
    /// Unique in the document.
    package let name: String
    /// What kind of content it is, `image/png` for example.
    package let contentType: String
    /// What the content is found under.
    package let digest: ContentDigest
    /// The length of the content in bytes.
    package let length: Int

    /// Describes an attachment.
    package init(name: String, contentType: String, digest: ContentDigest, length: Int) {
        self.name = name
        self.contentType = contentType
        self.digest = digest
        self.length = length
    }

    /// The stored form of a list: its count, then name and type counted, digest, and length of each.
    package static func encode(_ list: [AttachmentRecord]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(variable: UInt64(list.count))
        for attachment in list {
            bytes.append(counted: Array(attachment.name.utf8))
            bytes.append(counted: Array(attachment.contentType.utf8))
            bytes.append(contentsOf: attachment.digest.bytes)
            bytes.append(variable: UInt64(attachment.length))
        }
        return bytes
    }

    /// Reads a list; nil when the bytes are none.
    static func decode(_ row: Span<UInt8>, at position: inout Int) -> [AttachmentRecord]? {
        guard let count = row.variable(at: &position), count >= 1, count <= UInt64(row.count) else {
            return nil
        }
        var list: [AttachmentRecord] = []
        for _ in 0..<count {
            guard let name = row.counted(at: &position).flatMap(text),
                let contentType = row.counted(at: &position).flatMap(text),
                let digest = row.copy(ContentDigest.length, at: &position)
                    .flatMap(ContentDigest.init(stored:)),
                let length = row.variable(at: &position), length <= UInt64(Int.max)
            else { return nil }
            list.append(
                AttachmentRecord(
                    name: name, contentType: contentType, digest: digest, length: Int(length)))
        }
        return list
    }

    /// Moves past a list; false when the bytes are none.
    static func skip(_ row: Span<UInt8>, at position: inout Int) -> Bool {
        guard let count = row.variable(at: &position), count >= 1, count <= UInt64(row.count) else {
            return false
        }
        for _ in 0..<count {
            for _ in 0..<2 {
                guard let length = row.variable(at: &position),
                    length <= UInt64(row.count - position)
                else { return false }
                position += Int(length)
            }
            guard row.count - position >= ContentDigest.length else { return false }
            position += ContentDigest.length
            guard row.variable(at: &position) != nil else { return false }
        }
        return true
    }

    private static func text(_ bytes: [UInt8]) -> String? {
        String(validating: bytes, as: UTF8.self)
    }
}
