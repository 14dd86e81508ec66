public import SettleDocuments
import SettleIndexing

/// Asks for the rows of some keys, in the order of the list.
///
/// A key that stands twice is answered twice; an empty list has no rows. The sort order only turns
/// round the rows of each key.
///
/// ```swift
/// let some = QueryByKeyList(keys: ["red", "green"])
/// let rows = try await database.runQuery(on: "colours", with: some).rows
/// ```
public struct QueryByKeyList: QueryParameters {
    /// The order of the rows; ascending by default.
    public var sortOrder = QuerySortOrder.ascending
    /// The most rows to return; 0, the default, for all.
    public var rowLimit: UInt = 0
    /// How many rows to pass over; 0 by default.
    public var startRow: UInt = 0
    /// True to get each row's document with it.
    public var includeDocuments = false
    /// False to get the rows themselves from an index that has a reduce function.
    public var reduce = true
    /// True to reduce the rows of each key by themselves.
    public var group = false
    /// Above 0 to reduce together the rows whose keys start with the same elements, this many.
    public var groupLevel: UInt = 0
    /// Whether the index is brought up to date first.
    public var freshness = QueryFreshness.current
    /// The keys as JSON.
    ///
    /// A number that is not finite makes the query fail.
    public var keysJSON: [JSONValue] = []
    private var unsupported: String?

    /// A list of keys.
    ///
    /// A key that JSON cannot express makes the query fail.
    public init(keys: [Any] = []) {
        self.keys = keys
    }

    /// The keys.
    public var keys: [Any] {
        get { keysJSON.map { DynamicValue.any($0) } }
        set {
            do {
                keysJSON = try newValue.map { try DynamicValue.json($0) ?? .null }
                unsupported = nil
            } catch {
                unsupported = (error as? DynamicValue.Unsupported)?.reason ?? "\(error)"
            }
        }
    }
}

extension QueryByKeyList: IndexQueryConvertible {
    func selection() throws(DatabaseError) -> IndexQuery.Selection {
        if let unsupported { throw .unsupportedKey(unsupported) }
        for key in keysJSON { try key.checkIsKey() }
        return .keys(keysJSON)
    }
}
