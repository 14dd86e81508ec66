import SettleDocuments
import SettleStorage

/// The tables of one slot of an index.
///
/// Docs/Formats/Indexes.md gives their keys and values.
struct IndexTables {
    /// The rows, and the levels of reductions above them.
    let rows: SummaryTree
    /// Which rows each document has: the back pointers.
    let documents: SummaryTree
    /// The documents that could not be mapped, and the runs of a build under way.
    let side: OrderedTable
    private let all: [OrderedTable]

    private enum Part: String, CaseIterable {
        case rows, documents, side

        func name(_ index: String, _ slot: Int) -> String {
            "\(IndexTables.prefix)\(index)/\(slot)/\(rawValue)"
        }
    }

    /// What the names of the tables of all indexes begin with.
    static let prefix = "view/"

    /// The names of the tables of a slot.
    static func names(index: String, slot: Int) -> [String] {
        Part.allCases.map { $0.name(index, slot) }
    }

    /// Finds the tables; nil when one of them is missing.
    init?(
        findingIn snapshot: StoreSnapshot, index: String, slot: Int, reducer: IndexReducer?
    ) throws {
        var tables: [OrderedTable] = []
        for part in Part.allCases {
            guard let table = try snapshot.table(named: part.name(index, slot)) else {
                return nil
            }
            tables.append(table)
        }
        self.init(tables, reducer)
    }

    /// Finds the rows alone; nil when their table is missing.
    static func rows(
        findingIn snapshot: StoreSnapshot, index: String, slot: Int, reducer: IndexReducer?
    ) throws -> SummaryTree? {
        try snapshot.table(named: Part.rows.name(index, slot)).map { Self.rows($0, reducer) }
    }

    private static func rows(_ table: OrderedTable, _ reducer: IndexReducer?) -> SummaryTree {
        SummaryTree(table, reducer: reducer, storesLevels: true)
    }

    /// Finds the tables, or makes them.
    init(
        creatingIn transaction: StoreTransaction, index: String, slot: Int, reducer: IndexReducer?
    ) throws {
        self.init(
            try Part.allCases.map { try transaction.createTable(named: $0.name(index, slot)) },
            reducer)
    }

    private init(_ tables: [OrderedTable], _ reducer: IndexReducer?) {
        all = tables
        rows = Self.rows(tables[0], reducer)
        documents = SummaryTree(tables[1], reducer: nil, storesLevels: false)
        side = tables[2]
    }

    /// Removes every entry, keeping the tables.
    func removeAll() throws {
        for table in all { try table.removeAll() }
    }

    /// Removes the tables of a slot; their pages are free again after the commit.
    static func drop(index: String, slot: Int, in transaction: StoreTransaction) throws {
        for part in Part.allCases {
            try transaction.table(named: part.name(index, slot))?.drop()
        }
    }
}
