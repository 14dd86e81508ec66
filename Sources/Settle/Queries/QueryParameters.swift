/// What is asked of an index.
///
/// ``QueryByKeyRange`` and ``QueryByKeyList`` are the two that there are.
public protocol QueryParameters: Sendable {
    /// The order of the rows; ascending by default.
    var sortOrder: QuerySortOrder { get set }
    /// The most rows to return; 0, the default, for all.
    var rowLimit: UInt { get set }
    /// How many rows to pass over; 0 by default.
    var startRow: UInt { get set }
    /// True to get each row's document with it.
    var includeDocuments: Bool { get set }
    /// False to get the rows themselves from an index that has a reduce function; true by default.
    var reduce: Bool { get set }
    /// True to reduce the rows of each key by themselves.
    var group: Bool { get set }
    /// Above 0 to reduce together the rows whose keys, being arrays, start with the same elements:
    /// this many of them. Goes before ``group``.
    var groupLevel: UInt { get set }
}

/// The order of the rows of a query.
public enum QuerySortOrder: String, Sendable, CaseIterable {
    /// From the lowest key to the highest.
    case ascending
    /// From the highest key to the lowest.
    case descending

    /// The order a text names; nil for any other text.
    ///
    /// Upper and lower case are the same.
    public init?(from text: String) {
        self.init(rawValue: text.lowercased())
    }
}
