import SettleStorage

/// The tables of one index.
///
/// Docs/Formats/Indexes.md gives their keys and values.
struct IndexTables {
    /// ``RowKey`` -> ``StoredRow``.
    let rows: RowTable
    /// Document identifier -> the row keys it has, each counted: the back pointers.
    let pointers: OrderedTable
    /// The table that ``rows`` is a view of.
    let rowsTable: OrderedTable

    private static func rowsName(_ index: String) -> String { "index/\(index)/rows" }
    private static func pointersName(_ index: String) -> String { "index/\(index)/documents" }

    init?(findingIn snapshot: StoreSnapshot, index: String) throws {
        guard let rows = try snapshot.table(named: Self.rowsName(index)),
            let pointers = try snapshot.table(named: Self.pointersName(index))
        else { return nil }
        self.init(rows: rows, pointers: pointers)
    }

    init(creatingIn transaction: StoreTransaction, index: String) throws {
        self.init(
            rows: try transaction.createTable(named: Self.rowsName(index)),
            pointers: try transaction.createTable(named: Self.pointersName(index)))
    }

    private init(rows: OrderedTable, pointers: OrderedTable) {
        self.rowsTable = rows
        self.rows = RowTable(rows)
        self.pointers = pointers
    }

    /// The row keys that a document has.
    ///
    /// - Throws: ``IndexError/corrupted(place:)`` when the bytes are none, or what the engine throws.
    func pointers(of id: String, index: String) throws -> [[UInt8]] {
        guard let list = try pointers.value(for: Array(id.utf8)) else { return [] }
        let span = list.span
        var keys: [[UInt8]] = []
        var position = 0
        while position < span.count {
            guard let key = span.counted(at: &position) else {
                throw IndexError.corrupted(
                    place: "back pointers of document '\(id)' in index '\(index)'")
            }
            keys.append(key)
        }
        return keys
    }

    /// Removes every row, keeping the tables.
    func removeAll() throws {
        try rowsTable.removeAll()
        try pointers.removeAll()
    }

    /// Removes the tables; their pages are free again after the commit.
    func drop() throws {
        try rowsTable.drop()
        try pointers.drop()
    }
}
