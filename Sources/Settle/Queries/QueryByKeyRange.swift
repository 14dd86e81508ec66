public import SettleDocuments
import SettleIndexing

/// Asks for the rows from one key to another.
///
/// In a descending query the start is the high end, as in CouchDB.
///
/// ```swift
/// var query = QueryByKeyRange(startKey: ["order", "Oslo"], endKey: ["order", "Rome"])
/// query.reduce = false
/// query.includeDocuments = true
/// ```
public struct QueryByKeyRange: QueryParameters {
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
    /// False to leave out the rows with the start key itself.
    public var inclusiveStart = true
    /// False to leave out the rows with the end key itself.
    public var inclusiveEnd = true
    /// Above 0 to take the start key, the end key, or both for the beginning of keys.
    ///
    /// At level 1 a string stands for all strings that begin with it, and an array for all arrays
    /// that begin with its elements. At level 2 the last element of an array is taken so (all
    /// arrays of which the first elements are equal and the last begins with it), at level 3 the
    /// last element of that, and so on. Whether a string begins with another is decided as strings
    /// are ordered: with the Unicode collation case and accents make no difference. The
    /// identifiers of documents are not looked at then. A vowel of Thai or Lao that is written before its
    /// consonant is ordered behind it by Unicode, so a beginning that ends with one finds nothing
    /// until the consonant follows. The name is Couchbase Lite's.
    public var prefixMatchLevel: UInt = 0
    /// Narrows the start, among the rows with the start key, to this document.
    public var startDocumentId: String?
    /// Narrows the end, among the rows with the end key, to this document.
    public var endDocumentId: String?
    /// The start key as JSON; nil for the first row there is.
    ///
    /// A number that is not finite makes the query fail.
    public var startKeyJSON: JSONValue? { didSet { unsupportedStart = nil } }
    /// The end key as JSON; nil for the last row there is.
    ///
    /// A number that is not finite makes the query fail.
    public var endKeyJSON: JSONValue? { didSet { unsupportedEnd = nil } }
    private var unsupportedStart: String?
    private var unsupportedEnd: String?

    /// A range; both ends are included, and nil stands for the first or last row there is.
    ///
    /// A key that JSON cannot express makes the query fail. `NSNull()` is the key null.
    public init(startKey: Any? = nil, endKey: Any? = nil) {
        self.startKey = startKey
        self.endKey = endKey
    }

    /// The rows whose keys begin with a string, or with the elements of an array.
    ///
    /// - Parameters:
    ///   - prefix: The beginning; see ``prefixMatchLevel``.
    ///   - level: What is taken for a beginning; 1 for the key itself.
    public init(prefix: Any, level: UInt = 1) {
        self.init(startKey: prefix, endKey: prefix)
        prefixMatchLevel = max(1, level)
    }

    /// The start key; nil for the first row there is.
    public var startKey: Any? {
        get { startKeyJSON.map { DynamicValue.any($0) } }
        set { (startKeyJSON, unsupportedStart) = Self.converted(newValue) }
    }

    /// The end key; nil for the last row there is.
    public var endKey: Any? {
        get { endKeyJSON.map { DynamicValue.any($0) } }
        set { (endKeyJSON, unsupportedEnd) = Self.converted(newValue) }
    }

    private static func converted(_ key: Any?) -> (key: JSONValue?, unsupported: String?) {
        do {
            return (try DynamicValue.json(key), nil)
        } catch {
            return (nil, (error as? DynamicValue.Unsupported)?.reason ?? "\(error)")
        }
    }
}

extension QueryByKeyRange: IndexQueryConvertible {
    func selection() throws(DatabaseError) -> IndexQuery.Selection {
        if let unsupported = unsupportedStart ?? unsupportedEnd {
            throw .unsupportedKey(unsupported)
        }
        for key in [startKeyJSON, endKeyJSON] { try key?.checkIsKey() }
        let level = Int(clamping: prefixMatchLevel)
        return .range(
            start: startKeyJSON.map {
                IndexQuery.KeyBound(
                    key: $0, documentID: startDocumentId, isInclusive: inclusiveStart,
                    prefixLevel: level)
            },
            end: endKeyJSON.map {
                IndexQuery.KeyBound(
                    key: $0, documentID: endDocumentId, isInclusive: inclusiveEnd,
                    prefixLevel: level)
            })
    }
}
