/// Why a text cannot be a document's id.
package enum DocumentIdentifierError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is empty.
    case empty
    /// The text has more bytes of UTF-8 than allowed; the number is what it has.
    case tooLong(Int)
    /// The text begins with `_`, which CouchDB keeps for documents of its own, and is no design document.
    case leadingUnderscore
    /// The text contains U+0000, which could not be told from the end of an id in a row key.
    case containsNull

    /// A sentence that says what is wrong and what to do.
    package var description: String {
        switch self {
        case .empty: "A document id is empty; give it at least one character."
        case .tooLong(let count):
            "A document id has \(count) bytes of UTF-8; "
                + "at most \(DocumentIdentifier.byteCountMax) are allowed."
        case .leadingUnderscore:
            "A document id begins with \"_\", which is kept for the database; choose another."
        case .containsNull: "A document id contains the character U+0000; leave it out."
        }
    }
}

/// The rules for ids of documents.
package enum DocumentIdentifier {
    /// How many bytes of UTF-8 an id may have.
    package static let byteCountMax = 255

    /// What the ids of CouchDB's design documents begin with, the only ones that may begin with `_`.
    package static let designPrefix = "_design/"

    /// Whether an id is that of a design document, which no index has rows of.
    package static func isDesign(_ id: String) -> Bool { id.utf8.starts(with: designPrefix.utf8) }

    /// Whether the bytes of an id are those of a design document.
    package static func isDesign(_ id: Span<UInt8>) -> Bool {
        guard id.count >= designPrefix.utf8.count else { return false }
        var place = 0
        for byte in designPrefix.utf8 {
            guard id[place] == byte else { return false }
            place += 1
        }
        return true
    }

    /// Refuses a text that cannot be an id: empty, longer than 255 bytes of UTF-8, beginning with
    /// `_` and no design document, or containing U+0000.
    ///
    /// Cost: one pass.
    /// - Throws: `DocumentIdentifierError` naming the rule.
    package static func check(_ id: String) throws(DocumentIdentifierError) {
        let bytes = id.utf8
        guard let first = bytes.first else { throw .empty }
        guard bytes.count <= byteCountMax else { throw .tooLong(bytes.count) }
        guard first != UInt8(ascii: "_") || isDesign(id) && bytes.count > designPrefix.utf8.count
        else { throw .leadingUnderscore }
        for byte in bytes where byte == 0 { throw .containsNull }
    }
}
