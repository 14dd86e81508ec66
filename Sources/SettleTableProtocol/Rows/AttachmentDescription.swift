package import SettleDocuments

/// One attachment of an item as the column `_attachments` has it: all but the content.
package struct AttachmentDescription: Sendable, Equatable {
    /// Unique in its item.
    package var name: String
    package var contentType: String
    /// The length of the content in bytes.
    package var length: Int
    package var digest: AttachmentDigest

    private enum Member {
        static let contentType = "content_type"
        static let length = "length"
        static let digest = "digest"
    }

    /// A description, of values that were checked.
    package init(name: String, contentType: String, length: Int, digest: AttachmentDigest) {
        self.name = name
        self.contentType = contentType
        self.length = length
        self.digest = digest
    }

    /// Reads one member of the column, where it has the shape of one.
    ///
    /// - Parameters:
    ///   - name: The attachment's name.
    ///   - json: `{"content_type": string, "length": number, "digest": string}`; other members are
    ///     overlooked.
    package init?(name: String, shapedAs json: JSONValue) {
        guard let contentType = json[Member.contentType]?.stringValue,
            let length = Self.length(in: json), let digest = Self.digest(in: json)
        else { return nil }
        self.init(name: name, contentType: contentType, length: length, digest: digest)
    }

    /// Reads one member of the column that a server is to store.
    ///
    /// - Parameters:
    ///   - name: The attachment's name.
    ///   - json: As for ``init(name:shapedAs:)``.
    /// - Throws: ``TableFault`` naming the attachment and the member that is wrong.
    package init(name: String, json: JSONValue) throws(TableFault) {
        try AttachmentName.check(name)
        guard json.objectValue != nil else {
            throw Self.fault(name, "its description must be an object")
        }
        guard let contentType = json[Member.contentType]?.stringValue,
            contentType.utf8.count <= Self.contentTypeBytesMax,
            contentType.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw Self.fault(
                name,
                "'\(Member.contentType)' must be a string of at most "
                    + "\(Self.contentTypeBytesMax) characters of ASCII that can be printed")
        }
        guard let length = Self.length(in: json) else {
            throw Self.fault(name, "'\(Member.length)' must be a whole number from 0, in bytes")
        }
        guard let digest = Self.digest(in: json) else {
            throw Self.fault(
                name,
                "'\(Member.digest)' must be the SHA-256 of the content, 64 hexadecimal digits in "
                    + "lower case")
        }
        self.init(name: name, contentType: contentType, length: length, digest: digest)
    }

    private static func length(in json: JSONValue) -> Int? {
        json[Member.length]?.integerValue.flatMap(Int.init(exactly:)).flatMap { $0 < 0 ? nil : $0 }
    }

    private static func digest(in json: JSONValue) -> AttachmentDigest? {
        json[Member.digest]?.stringValue.flatMap(AttachmentDigest.init)
    }

    /// The description as it is sent.
    package var json: JSONValue {
        Self.json(contentType: contentType, length: length, digest: digest.text)
    }

    /// A description as it is sent, of values that were checked.
    package static func json(contentType: String, length: Int, digest: String) -> JSONValue {
        [
            Member.contentType: .string(contentType), Member.length: .integer(Int64(length)),
            Member.digest: .string(digest),
        ]
    }

    /// About how many bytes it takes as text.
    package var approximateSize: Int { name.utf8.count + contentType.utf8.count + 150 }

    private static let contentTypeBytesMax = 255

    private static func fault(_ name: String, _ rule: String) -> TableFault {
        TableFault(
            "The attachment '\(name)' of '\(AttachmentColumn.name)' is wrong: \(rule)."
        )
    }
}
