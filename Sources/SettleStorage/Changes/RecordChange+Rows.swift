import SettleDocuments
import SettleLMDB
import SettlePrimitives

extension RecordChange {
    /// The last change of a document, from its stored record; nil when the bytes are none.
    ///
    /// Nothing of the members is read.
    ///
    /// - Parameters:
    ///   - id: The identifier the record lies under.
    ///   - row: The stored bytes.
    package init?(id: String, row: Span<UInt8>) {
        guard let head = RecordHead(row) else { return nil }
        var origin: String?
        if let range = head.origin {
            guard
                let text = String(validating: row.extracting(range).rest(from: 0), as: UTF8.self)
            else { return nil }
            origin = text
        }
        self.init(
            id: id, sequence: head.sequence, revision: head.revision, isDeleted: head.isDeleted,
            origin: origin)
    }
}
