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
        start = try value("startkey", "start_key")?.stringValue
        end = try value("endkey", "end_key")?.stringValue
        if let key = try value("key") {
            // A key that is no text is no document's.
            (start, end) = (key.stringValue ?? "", key.stringValue ?? "")
        }
        includesEnd = try flag("inclusive_end", true)
        isDescending = try flag("descending", false)
        includesDocuments = try flag("include_docs", false)
        includesSequence = try flag("update_seq", false)
        skip = try number("skip") ?? 0
        limit = try number("limit") ?? .max
        options.conflicts = try flag("conflicts", false)
        options.attachments = try flag("attachments", false)
    }

    /// Whether an identifier is in the range.
    func includes(_ id: String) -> Bool {
        let (low, high) = isDescending ? (end, start) : (start, end)
        let isEdgeIncluded = includesEnd || end.map { !$0.utf8.elementsEqual(id.utf8) } ?? true
        return (low.map { !Self.isLess(id, $0) } ?? true)
            && (high.map { !Self.isLess($0, id) } ?? true) && isEdgeIncluded
    }

    static func isLess(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

extension CouchDatabase {
    /// `_all_docs`: the documents by identifier, in the order of its bytes.
    ///
    /// - Complexity: Linear in the documents before and in the range.
    func allDocuments(_ listing: CouchListing) throws -> [UInt8] {
        try database.read { snapshot in
            var rows: [[UInt8]] = []
            var offset: Int?
            if let keys = listing.keys {
                rows = try keys.dropFirst(listing.skip).prefix(listing.limit).map {
                    try row($0, listing, in: snapshot)
                }
            } else {
                let (ids, before) = try identifiers(listing, in: snapshot)
                offset = before
                rows = try ids.map { try row(.string($0), listing, in: snapshot) }
            }
            let total = try isLimited ? counts(in: snapshot).live : snapshot.documentCount
            var text = Array("{\"total_rows\":\(total),".utf8)
            if listing.includesSequence {
                text += Array(
                    "\"update_seq\":\"\(Self.text(ofSequence: snapshot.sequence))\",".utf8)
            }
            text += Array("\"offset\":\(offset.map(String.init) ?? "null"),\"rows\":[\n".utf8)
            text += Array(rows.joined(separator: Array(",\n".utf8)))
            return text + Array("\n]}".utf8)
        }
    }

    private func identifiers(
        _ listing: CouchListing, in snapshot: Snapshot
    ) throws -> (ids: [String], offset: Int) {
        var ids: [String] = []
        var (before, after) = (0, 0)
        let low = listing.isDescending ? listing.end : listing.start
        try snapshot.forEachDocument { document in
            if isLimited, try tree(of: document.id, in: snapshot)?.winner?.isDeleted ?? true {
                return true
            }
            if listing.includes(document.id) {
                ids.append(document.id)
            } else if low.map({ CouchListing.isLess(document.id, $0) }) ?? false {
                before += 1
            } else {
                after += 1
            }
            return true
        }
        if listing.isDescending {
            ids.reverse()
            swap(&before, &after)
        }
        let skipped = min(listing.skip, ids.count)
        return (Array(ids.dropFirst(skipped).prefix(listing.limit)), before + skipped)
    }

    func row(
        _ key: JSONValue, _ listing: CouchListing, in snapshot: Snapshot
    ) throws -> [UInt8] {
        guard let id = key.stringValue, let tree = try tree(of: id, in: snapshot),
            let winner = tree.winner
        else {
            return JSONText.text(of: ["key": key, "error": "not_found"])
        }
        var text = Array("{\"id\":".utf8)
        JSONText.append(id, to: &text)
        text += Array(",\"key\":".utf8)
        JSONText.append(id, to: &text)
        text += Array(",\"value\":{\"rev\":".utf8)
        JSONText.append(winner.name.description, to: &text)
        if winner.isDeleted { text += Array(",\"deleted\":true".utf8) }
        text += Array("}".utf8)
        if listing.includesDocuments {
            text += Array(",\"doc\":".utf8)
            text +=
                winner.isDeleted
                ? Array("null".utf8)
                : try Self.text(of: id, winner, tree, listing.options, in: snapshot)
        }
        return text + Array("}".utf8)
    }
}
