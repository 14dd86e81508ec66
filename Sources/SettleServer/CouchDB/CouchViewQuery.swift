import Settle

/// Which rows of a view are wanted, and how.
struct CouchViewQuery: Sendable {
    var keys: [JSONValue]?
    var start: JSONValue?
    var end: JSONValue?
    var startId: String?
    var endId: String?
    var includesEnd = true
    var isDescending = false
    var skip = 0
    var limit: Int?
    var reduce: Bool?
    var group: Bool?
    var groupLevel: Int?
    var includesDocuments = false
    var includesSequence = false
    var freshness = QueryFreshness.current
    var options = CouchDocumentOptions()

    /// Reads the parameters of a request; those of the query win over those of the body.
    ///
    /// - Throws: ``CouchError`` in CouchDB's words.
    init(_ request: CouchRequest, _ body: [String: JSONValue]) throws(CouchError) {
        func value(_ names: String...) throws(CouchError) -> JSONValue? {
            for name in names { if let found = try request.json(name) { return found } }
            for name in names { if let found = body[name] { return found } }
            return nil
        }
        func text(_ names: String...) -> String? {
            names.lazy.compactMap { name in
                // As text or as JSON.
                request[name].map { $0.filter { $0 != "\"" } } ?? body[name]?.stringValue
            }.first
        }
        func flag(_ name: String) throws(CouchError) -> Bool? {
            guard request[name] == nil else { return try request.flag(name) }
            guard let value = body[name] else { return nil }
            guard let flag = value.boolValue else {
                throw .queryParse("Invalid boolean parameter: \(value.jsonText)")
            }
            return flag
        }
        func number(_ name: String) throws(CouchError) -> Int? {
            if let number = try request.number(name) { return number }
            guard let value = body[name] else { return nil }
            guard let number = value.integerValue else {
                throw .queryParse("Invalid value for integer: \(value.jsonText)")
            }
            guard number >= 0 else {
                throw .queryParse("Invalid value for positive integer: \(value.jsonText)")
            }
            return Int(clamping: number)
        }
        if let found = try value("keys") {
            guard let list = found.arrayValue else {
                throw .queryParse("`keys` must be an array of strings.")
            }
            keys = list
        }
        start = try value("startkey", "start_key")
        end = try value("endkey", "end_key")
        if let key = try value("key") { (start, end) = (key, key) }
        if start == nil, end == nil, let list = keys, list.count == 1 {
            // One key is a key, also for what is reduced.
            (start, end, keys) = (list[0], list[0], nil)
        }
        if keys != nil, start != nil || end != nil {
            throw .queryParse("`keys` is incompatible with `key`, `start_key` and `end_key`")
        }
        if start != nil { startId = text("startkey_docid", "start_key_doc_id") }
        if end != nil { endId = text("endkey_docid", "end_key_doc_id") }
        includesEnd = try flag("inclusive_end") ?? true
        isDescending = try flag("descending") ?? false
        skip = try number("skip") ?? 0
        limit = try number("limit")
        reduce = try flag("reduce")
        group = try flag("group")
        groupLevel = try number("group_level")
        includesDocuments = try flag("include_docs") ?? false
        includesSequence = try flag("update_seq") ?? false
        options.conflicts = try flag("conflicts") ?? false
        options.attachments = try flag("attachments") ?? false
        freshness = try Self.freshness(update: text("update"), stale: text("stale"))
        if let start, let end {
            let order = start.couchOrder(to: end)
            guard isDescending ? order >= 0 : order <= 0 else {
                throw .queryParse(
                    "No rows can match your key range, reverse your start_key and end_key or set descending="
                        + (isDescending ? "false" : "true"))
            }
        }
    }

    private static func freshness(
        update: String?, stale: String?
    ) throws(CouchError) -> QueryFreshness {
        switch stale {
        case "ok"?: return .stale
        case "update_after"?: return .staleThenUpdate
        case nil: break
        case .some: throw .queryParse("Invalid value for `stale`.")
        }
        switch update {
        case nil, "true"?: return .current
        case "false"?: return .stale
        case "lazy"?: return .staleThenUpdate
        case .some: throw .queryParse("Invalid value for `update`.")
        }
    }

    /// Refuses what does not go with a view.
    ///
    /// - Parameter hasReducer: Whether the view has a reduce function.
    /// - Returns: Whether rows are reduced.
    /// - Throws: ``CouchError`` in CouchDB's words.
    func check(hasReducer: Bool) throws(CouchError) -> Bool {
        guard hasReducer else {
            if reduce == true { throw .queryParse("Reduce is invalid for map-only views.") }
            if group == true || groupLevel ?? 0 > 0 {
                throw .queryParse("Invalid use of grouping on a map view.")
            }
            return false
        }
        let reduces = reduce ?? true
        if group == false, let groupLevel, groupLevel > 0 {
            throw .queryParse("Can't specify group=false and group_level>0 at the same time")
        }
        guard reduces else {
            if group == true || groupLevel ?? 0 > 0 {
                throw .queryParse("Invalid use of grouping on a map view.")
            }
            return false
        }
        // Each key is a group of its own, and no part of it is.
        if keys != nil, group != true || groupLevel != nil {
            throw .queryParse("Multi-key fetches for reduce views must use `group=true`")
        }
        if includesDocuments { throw .queryParse("`include_docs` is invalid for reduce") }
        if options.conflicts { throw .queryParse("`conflicts` is invalid for reduce views.") }
        return true
    }

    /// The question to the index.
    ///
    /// - Parameters:
    ///   - reduces: Whether rows are reduced.
    ///   - isWhole: Whether nothing is left out yet.
    /// - Returns: A range of keys, or a list of them.
    func parameters(reduces: Bool, isWhole: Bool) -> any QueryParameters {
        var parameters: any QueryParameters
        if let keys {
            var list = QueryByKeyList()
            // Rows come in the order of the list, which a descending one turns round; groups do not.
            list.keysJSON = isDescending && !reduces ? keys.reversed() : keys
            parameters = list
        } else {
            var range = QueryByKeyRange()
            range.startKeyJSON = start
            range.endKeyJSON = end
            range.startDocumentId = startId
            range.endDocumentId = endId
            range.inclusiveEnd = includesEnd
            parameters = range
        }
        parameters.sortOrder = isDescending ? .descending : .ascending
        parameters.reduce = reduces
        parameters.group = group ?? false
        parameters.groupLevel = UInt(groupLevel ?? 0)
        parameters.freshness = freshness
        guard !isWhole else { return parameters }
        parameters.startRow = UInt(skip)
        // None is asked for as one, since 0 stands for all.
        parameters.rowLimit = UInt(max(1, limit ?? 0))
        if limit == nil { parameters.rowLimit = 0 }
        return parameters
    }
}
