/// The answer to a query: its rows, in order.
///
/// ```swift
/// for row in try await database.runQuery(on: "byColour", with: query) {
///     print(row.key ?? "no key", row.value ?? "no value", row.document?.id ?? "no document")
/// }
/// ```
public struct QueryResultEnumerator: Sequence, IteratorProtocol, Sendable {
    /// Where the rows are.
    private enum Content {
        case array([QueryResultRow])
        /// The first rows of a list that is observed.
        case list(OrderedList<QueryResultRow>, count: Int)
    }
    private let content: Content
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
    /// The block of the list that has the next row, and where it begins.
    private var block = 0
    private var blockStart = 0

    init(
        rows: [QueryResultRow], startRow: UInt, totalRows: Int? = nil, offset: Int? = nil,
        sequence: UInt64 = 0, error: (any Error)? = nil
    ) {
        content = .array(rows)
        self.startRow = startRow
        self.totalRows = totalRows
        self.offset = offset
        self.sequence = sequence
        self.error = error
    }

    /// The first rows of a list.
    init(
        _ list: OrderedList<QueryResultRow>, count: Int, startRow: UInt, totalRows: Int?,
        offset: Int?, sequence: UInt64
    ) {
        content = .list(list, count: count)
        self.startRow = startRow
        self.totalRows = totalRows
        self.offset = offset
        self.sequence = sequence
        error = nil
    }

    /// All rows of the answer.
    ///
    /// - Complexity: O(1); of an observed query O(n) at each call, so iterate instead, or keep it.
    public var rows: [QueryResultRow] {
        switch content {
        case .array(let rows): return rows
        case .list(let list, let count):
            var rows: [QueryResultRow] = []
            rows.reserveCapacity(count)
            for item in list.prefix(count) { rows.append(item.value) }
            return rows
        }
    }

    /// The number of rows.
    public var count: Int {
        switch content {
        case .array(let rows): rows.count
        case .list(_, let count): count
        }
    }

    /// The first row; nil when there is none.
    public var first: QueryResultRow? { isEmpty ? nil : self[0] }

    /// Whether there is no row.
    public var isEmpty: Bool { count == 0 }

    /// The row at a position, from 0; traps when there is none.
    ///
    /// - Complexity: O(1); of an observed query O(n / 64).
    public subscript(position: Int) -> QueryResultRow {
        precondition((0..<count).contains(position), "There is no row at position \(position).")
        switch content {
        case .array(let rows): return rows[position]
        case .list(let list, _):
            var rest = position
            for block in list.blocks {
                if rest < block.items.count { return block.items[rest].value }
                rest -= block.items.count
            }
            preconditionFailure("A list has fewer rows than it says.")
        }
    }

    /// The next row; nil after the last.
    public mutating func next() -> QueryResultRow? {
        guard position < count else { return nil }
        defer { position += 1 }
        switch content {
        case .array(let rows): return rows[position]
        case .list(let list, _):
            if position - blockStart == list.blocks[block].items.count {
                blockStart = position
                block += 1
            }
            return list.blocks[block].items[position - blockStart].value
        }
    }
}
