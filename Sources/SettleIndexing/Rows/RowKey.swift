import SettleDocuments

/// The key of an index row: emitted key, document, and which of its emits.
///
/// Shape (Docs/Formats/Indexes.md): collation key, which ends itself; document identifier in UTF-8,
/// which holds no 00; 00; number of the emit, two bytes, most significant first. Byte order is
/// therefore: by key, then by document identifier, then in the order of the emits.
package enum RowKey {
    /// The most rows that one document can have in one index.
    package static let emitCountMax = 0x1_0000

    /// Builds the key of a row.
    package static func bytes(collationKey: [UInt8], documentID: String, emit: Int) -> [UInt8] {
        var bytes = collationKey
        append(documentID, to: &bytes)
        bytes.append(UInt8(truncatingIfNeeded: emit >> 8))
        bytes.append(UInt8(truncatingIfNeeded: emit))
        return bytes
    }

    /// Builds the start of the keys of all rows with a key and a document.
    package static func prefix(collationKey: [UInt8], documentID: String) -> [UInt8] {
        var bytes = collationKey
        append(documentID, to: &bytes)
        return bytes
    }

    /// Takes a row key apart.
    ///
    /// - Returns: Where the collation key ends, and the document; nil when the bytes are no row key.
    package static func parts(of bytes: [UInt8]) -> (keyEnd: Int, documentID: String)? {
        guard let keyEnd = CollationKey.end(of: bytes[...]), keyEnd < bytes.count else {
            return nil
        }
        guard let mark = bytes[keyEnd...].firstIndex(of: 0), bytes.count - mark == 3,
            let text = String(validating: bytes[keyEnd..<mark], as: UTF8.self)
        else { return nil }
        return (keyEnd, text)
    }

    private static func append(_ documentID: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: documentID.utf8)
        bytes.append(0)
    }
}
