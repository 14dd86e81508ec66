import SettleDocuments
import SettlePrimitives
import SettleStorage

/// Makes pages of rows of an answer from stored ones.
///
/// Rows that follow each other often have the same key, which is then taken apart once.
struct RowPageBuilder {
    /// How many rows a page has at most.
    static let rowCountMax = 256
    private let index: String
    private var bytes = ByteBuffer()
    private var rows: [RowPage.Row] = []
    private var keys: [JSONValue?] = []
    /// The packed and the encoded key of the row before, and the value they stand for.
    private var lastHead: [UInt8] = []
    private var lastCollationKey: [UInt8] = []
    private var lastKey: JSONValue?

    /// A builder.
    ///
    /// - Parameters:
    ///   - index: The index, for errors.
    ///   - rowCount: For how many rows room is made at once.
    init(_ index: String, reserving rowCount: Int) {
        self.index = index
        rows.reserveCapacity(min(rowCount, Self.rowCountMax))
    }

    /// Takes in the row of a stored entry; hands the page on when it is full.
    ///
    /// - Throws: ``IndexError/corrupted(place:)`` or ``PackedError`` when it cannot be read; what `take`
    ///   throws.
    @inline(__always)
    mutating func add(
        key: Span<UInt8>, head: Span<UInt8>, tail: Span<UInt8>,
        _ take: (consuming IndexRow) throws -> Void
    ) throws {
        try takeKey(key: key, head: head)
        guard let range = IndexRowKey.id(in: key, after: lastCollationKey.count) else {
            throw damage
        }
        guard UTF8Sequence.isValid(key, in: range) else { throw damage }
        let start = bytes.count
        bytes.append(key.extracting(range))
        rows.append(
            RowPage.Row(
                id: start..<bytes.count, key: keys.count - 1,
                value: tail.isEmpty ? nil : try PackedView(tail).value()))
        if rows.count == Self.rowCountMax { try handOn(take) }
    }

    /// Hands on the rows that were taken in since the last page.
    mutating func handOn(_ take: (consuming IndexRow) throws -> Void) rethrows {
        if rows.isEmpty { return }
        let count = rows.count
        let page = RowPage(rows, keys: keys, bytes: bytes.take())
        rows = []
        keys = []
        for row in 0..<count { try take(IndexRow(page, row)) }
    }

    /// Sees to it that the last of the keys is the row's.
    private mutating func takeKey(key: Span<UInt8>, head: Span<UInt8>) throws {
        let count = lastCollationKey.count
        if lastKey == nil || key.count <= count || !head.isSame(as: lastHead.span)
            || !key.extracting(0..<count).isSame(as: lastCollationKey.span)
        {
            guard let end = CollationKey.end(in: key, at: 0) else { throw damage }
            let emitted = try PackedView(head).value()
            lastKey = emitted
            lastHead = head.rest(from: 0)
            lastCollationKey = key.extracting(0..<end).rest(from: 0)
        } else if !keys.isEmpty {
            return
        }
        keys.append(lastKey)
    }

    private var damage: IndexError { .corrupted(place: "rows of index '\(index)'") }
}
