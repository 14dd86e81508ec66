/// The answer to a query: its rows, in order.
public struct QueryResultEnumerator: Sequence, IteratorProtocol, Sendable {
    /// All rows of the answer.
    public let rows: [QueryResultRow]
    /// How many rows of the index were passed over before the first.
    public let startRow: UInt
    /// The number of all rows of the index; nil for an answer that was reduced.
    public let totalRows: Int?
    /// How many rows of the index stand before the first one of the answer, in its order; nil for a
    /// list of keys and for an answer that was reduced.
    public let offset: Int?
    /// The last change that the answer takes into account.
    public let sequence: UInt64
    /// Why the query failed; the rows are empty then.
    ///
    /// Only answers that come to a completion or change handler carry an error; the asynchronous
    /// forms throw it.
    public let error: (any Error)?
    private var position = 0

    init(
        rows: [QueryResultRow], startRow: UInt, totalRows: Int? = nil, offset: Int? = nil,
        sequence: UInt64 = 0, error: (any Error)? = nil
    ) {
        self.rows = rows
        self.startRow = startRow
        self.totalRows = totalRows
        self.offset = offset
        self.sequence = sequence
        self.error = error
    }

    /// The number of rows.
    public var count: Int { rows.count }

    /// The next row; nil after the last.
    public mutating func next() -> QueryResultRow? {
        guard position < rows.count else { return nil }
        defer { position += 1 }
        return rows[position]
    }
}
