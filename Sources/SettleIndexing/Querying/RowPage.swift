import SettleDocuments

/// Rows of an answer that lie in memory together.
///
/// A row of its own would be a String and two values that are copied, counted, and given back one by
/// one; a row of a page is its number. A row keeps its page alive, which is why pages are small
/// (``RowPageBuilder``).
final class RowPage: Sendable {
    /// A row of a page.
    struct Row {
        /// Where the identifier of the document lies in the bytes of the page; nil without one.
        let id: Range<Int>?
        /// Which of the keys is the row's.
        let key: Int
        let value: JSONValue?
    }

    private let rows: [Row]
    private let keys: [JSONValue?]
    private let bytes: [UInt8]

    /// A page.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - keys: The keys of the rows.
    ///   - bytes: The identifiers of the rows, in UTF-8.
    init(_ rows: [Row], keys: [JSONValue?], bytes: [UInt8]) {
        self.rows = rows
        self.keys = keys
        self.bytes = bytes
    }

    func documentID(of row: Int) -> String? {
        rows[row].id.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    func key(of row: Int) -> JSONValue? { keys[rows[row].key] }

    func value(of row: Int) -> JSONValue? { rows[row].value }

    /// Whether two rows have the same document, key, and value.
    static func isSame(_ left: RowPage, _ row: Int, _ right: RowPage, _ other: Int) -> Bool {
        if left === right, row == other { return true }
        return left.idBytes(of: row) == right.idBytes(of: other)
            && left.key(of: row) == right.key(of: other)
            && left.value(of: row) == right.value(of: other)
    }

    private func idBytes(of row: Int) -> ArraySlice<UInt8>? { rows[row].id.map { bytes[$0] } }
}
