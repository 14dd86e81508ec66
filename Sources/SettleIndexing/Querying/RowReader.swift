import SettleDocuments
import SettleStorage

/// Makes rows of an answer from stored ones.
///
/// Rows that follow each other often have the same key, which is then taken apart once.
struct RowReader {
    private let index: String
    /// The packed and the encoded key of the row before, and the value they stand for.
    private var lastHead: [UInt8] = []
    private var lastCollationKey: [UInt8] = []
    private var lastKey: JSONValue?

    init(_ index: String) {
        self.index = index
    }

    /// The row of a stored entry.
    ///
    /// - Throws: ``IndexError/corrupted(place:)`` or ``PackedError`` when it cannot be read.
    mutating func row(
        key: Span<UInt8>, head: Span<UInt8>, tail: Span<UInt8>
    ) throws -> IndexRow {
        let emitted = try emitted(key: key, head: head)
        guard let range = IndexRowKey.id(in: key, after: lastCollationKey.count),
            let id = String(validating: key, in: range)
        else { throw damage }
        return IndexRow(
            documentID: id, key: emitted,
            value: tail.isEmpty ? nil : try PackedView(tail).value())
    }

    /// The emitted key; `lastCollationKey` is that of the row afterwards.
    private mutating func emitted(key: Span<UInt8>, head: Span<UInt8>) throws -> JSONValue {
        let count = lastCollationKey.count
        if let lastKey, head.isSame(as: lastHead.span), key.count > count,
            key.extracting(0..<count).isSame(as: lastCollationKey.span)
        {
            return lastKey
        }
        guard let end = CollationKey.end(in: key, at: 0) else { throw damage }
        let emitted = try PackedView(head).value()
        lastKey = emitted
        lastHead = head.rest(from: 0)
        lastCollationKey = key.extracting(0..<end).rest(from: 0)
        return emitted
    }

    private var damage: IndexError { .corrupted(place: "rows of index '\(index)'") }
}
