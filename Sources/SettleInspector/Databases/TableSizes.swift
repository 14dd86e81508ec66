package import Settle

/// The tables of a database, with those that make an index taken together.
package struct TableSizes {
    /// An index and its size.
    package struct Index: Equatable {
        /// The name that queries use.
        package let name: String
        /// The number of its rows.
        package let rowCount: Int
        /// The bytes of the pages that its tables take.
        package let sizeBytes: Int
    }

    /// The tables that are of no index, by name.
    package let tables: [DatabaseStatistics.Table]
    /// The indexes, by name.
    package let indexes: [Index]

    private static let prefix = "guest/view/"

    /// The sizes of these tables.
    ///
    /// - Parameters:
    ///   - tables: All tables.
    ///   - statuses: How the indexes are; the number of rows is theirs, because the tables of an
    ///     index hold many rows in one.
    package init(_ tables: [DatabaseStatistics.Table], indexes statuses: [IndexStatus]) {
        let named = tables.map { (table: $0, index: Self.index(ofTable: $0.name)) }
        self.tables = named.filter { $0.index == nil }.map(\.table)
        var sizes = Dictionary(
            named.map { ($0.index ?? "", $0.table.sizeBytes) }, uniquingKeysWith: +)
        sizes[""] = nil
        let rows = Dictionary(uniqueKeysWithValues: statuses.map { ($0.name, $0.rowCount) })
        indexes = Set(sizes.keys).union(rows.keys).sorted().map { name in
            Index(name: name, rowCount: rows[name] ?? 0, sizeBytes: sizes[name] ?? 0)
        }
    }

    /// The index that a table belongs to; nil for other tables.
    ///
    /// The name of a table of an index ends with a slot and a part; that of the index may have
    /// slashes as well.
    package static func index(ofTable name: String) -> String? {
        guard name.hasPrefix(prefix) else { return nil }
        let parts = name.dropFirst(prefix.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2 else { return nil }
        return parts.dropLast(2).joined(separator: "/")
    }
}
