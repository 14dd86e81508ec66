import Settle

/// Which rows of a list of documents are wanted.
struct CouchListing: Sendable {
    var keys: [JSONValue]?
    var start: String?
    var end: String?
    var includesEnd = true
    var isDescending = false
    var skip = 0
    var limit = Int.max
    var includesDocuments = false
    var includesSequence = false
    var options = CouchDocumentOptions()

    /// Reads the parameters of a request; those of the query win over those of the body.
    init(_ request: CouchRequest) throws {
        let body = request.method == "POST" ? try request.object() : [:]
        func value(_ names: String...) throws(CouchError) -> JSONValue? {
            for name in names {
                if let value = try request.json(name) ?? body[name] { return value }
            }
            return nil
        }
        func flag(_ name: String, _ otherwise: Bool) throws(CouchError) -> Bool {
            try request.flag(name, default: body[name]?.boolValue ?? otherwise)
        }
        func number(_ name: String) throws(CouchError) -> Int? {
            if let number = try request.number(name) { return number }
            return body[name]?.integerValue.flatMap { $0 < 0 ? nil : Int(clamping: $0) }
        }
        if let found = try value("keys") {
            guard let list = found.arrayValue else {
                throw CouchError.queryParse("`keys` must be an array of strings.")
            }
            keys = list
        }
        start = try value("startkey", "start_key").map(Self.place)
        end = try value("endkey", "end_key").map(Self.place)
        if let key = try value("key") { (start, end) = (Self.place(key), Self.place(key)) }
        includesEnd = try flag("inclusive_end", true)
        isDescending = try flag("descending", false)
        includesDocuments = try flag("include_docs", false)
        includesSequence = try flag("update_seq", false)
        skip = try number("skip") ?? 0
        limit = try number("limit") ?? .max
        options.conflicts = try flag("conflicts", false)
        options.attachments = try flag("attachments", false)
    }

    /// The identifier that a key stands for: what is no text comes before all texts, or behind all of them.
    private static func place(_ key: JSONValue) -> String {
        switch key {
        case .string(let text): text
        case .null, .bool, .integer, .double: ""
        case .array, .object: String(repeating: "\u{10FFFF}", count: 64)
        }
    }

    /// Between which identifiers the range is.
    var bounds: (low: String?, high: String?) { isDescending ? (end, start) : (start, end) }

    /// Those of some sorted names that are wanted.
    func page(of names: [String]) -> [String] {
        let found = names.filter(includes)
        return Array((isDescending ? found.reversed() : found).dropFirst(skip).prefix(limit))
    }

    /// Whether an identifier is in the range.
    func includes(_ id: String) -> Bool {
        let (low, high) = bounds
        let isEdgeIncluded = includesEnd || end.map { !$0.utf8.elementsEqual(id.utf8) } ?? true
        return (low.map { !Self.isLess(id, $0) } ?? true)
            && (high.map { !Self.isLess($0, id) } ?? true) && isEdgeIncluded
    }

    static func isLess(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
