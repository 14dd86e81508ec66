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
    ///   - snapshot: The state of the store that they are from, which knows the names of origins.
    /// - Throws: ``StorageError/corrupted(place:)`` when the origin has a number without a name;
    ///   ``LMDBError`` when the store cannot be read.
    package init?(id: String, row: Span<UInt8>, in snapshot: StoreSnapshot) throws {
        guard let head = RecordHead(row) else { return nil }
        var origin: String?
        if let range = head.origin {
            guard
                let text = String(validating: row.extracting(range).rest(from: 0), as: UTF8.self)
            else { return nil }
            origin = text
        } else if let number = head.originNumber {
            origin = try snapshot.origin(number)
        }
        self.init(
            id: id, sequence: head.sequence, revision: head.revision, isDeleted: head.isDeleted,
            origin: origin)
    }
}
