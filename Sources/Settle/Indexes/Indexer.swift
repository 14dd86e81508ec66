extension Database {
    /// Called by a map function once for each row it wants the index to have.
    ///
    /// - Parameters:
    ///   - key: What the row is found under; nil (a member that the document does not have, for
    ///     example) adds no row. `NSNull` is a key like any other.
    ///   - value: What the row holds; nil for nothing.
    ///
    /// A document that is a key or value, or in one, is an object of its members and its `"id"`.
    public typealias AddIndexRow = (_ key: Any?, _ value: Any?) -> Void

    /// Turns a document into index rows.
    ///
    /// It must depend on the document alone and be safe to call from any thread; what it emits is
    /// stored. When it throws, or emits what JSON cannot express, the document has no rows, and the
    /// error is listed for it; the other documents are indexed all the same.
    public typealias Map =
        @Sendable (_ document: Document, _ addIndexRow: @escaping AddIndexRow) throws -> Void

    /// Makes one value of many, as CouchDB's reduce functions do.
    ///
    /// Up to 500 rows that are summed up together, by a query without groups or in one group, are
    /// given to it in one call. More are given to it in parts, and its results again: it is called
    /// for parts while rows are stored, too, so a result must not depend on how rows are parted.
    ///
    /// - Parameters:
    ///   - keys: The keys of the rows, in order; empty when `rereduce` is true.
    ///   - values: The values of the rows (`NSNull` for a row without one), or, when `rereduce` is
    ///     true, results of earlier calls.
    ///   - rereduce: True when results are reduced again.
    /// - Returns: A value that JSON can express, of the same kind in both cases.
    public typealias Reduce =
        @Sendable (_ keys: [Any], _ values: [Any], _ rereduce: Bool) -> Any
}

/// What an index is made of.
///
/// ``Database/Index`` is the one to use; another type may conform to bring its map along.
public protocol Indexer: Sendable {
    /// The name queries use; unique in the database.
    var name: String { get }
    /// Changed when the map or reduce changes: the index is then rebuilt. Any text.
    var version: String { get }
    /// How the strings in keys are ordered; by Unicode unless a type says otherwise.
    var collation: Database.IndexCollation { get }
    /// The rows of a document.
    var map: Database.Map { get }
    /// Makes one value of many; nil for an index that is only looked up.
    var reduce: Database.Reduce? { get }
}

extension Indexer {
    /// By Unicode.
    public var collation: Database.IndexCollation { .unicode }
}
