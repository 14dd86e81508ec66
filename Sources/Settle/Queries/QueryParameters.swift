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
    /// Whether the index is brought up to date first; `current` by default.
    var freshness: QueryFreshness { get set }
}

/// How new the answer to a query has to be.
public enum QueryFreshness: String, Sendable, CaseIterable {
    /// The index is brought up to date with the documents first, and built if it has to be.
    case current
    /// What is there answers at once, however old; an index that was never built has no rows, and
    /// neither has one whose rows are in the order of another collation. While
    /// a changed index is being built, the rows of the one before answer; rows that sum up are
    /// then worked out from them, one by one, when the reduce function may have changed too.
    case stale
    /// As ``stale``, and then the index is brought up to date in the background.
    case staleThenUpdate
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
