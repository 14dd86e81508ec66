import Settle

/// What `_find` asks for.
struct CouchFindQuery: Sendable {
    let selector: CouchSelector
    var limit = 25
    var skip = 0
    /// The members to sort by, all in one direction.
    var sort: [[String]] = []
    var isDescending = false
    /// The members that are shown; nil for all.
    var fields: [String]?
    /// The design document, or that and the name, of the index to be used.
    var usedIndex: [String] = []
    var position: Position?
    var freshness = QueryFreshness.current
    var hasStatistics = false
    var options = CouchDocumentOptions()

    /// Where a page ended: a document and, in an index, its key.
    struct Position: Sendable, Equatable {
        var key: JSONValue?
        var id: String

        /// The text of a bookmark.
        var text: String {
            let parts: [JSONValue] = [.string(id)] + (key.map { [$0] } ?? [])
            return Base64URL.text(of: JSONText.text(of: .array(parts)))
        }

        /// Whether it is that of a row: identifiers that look the same may have other bytes.
        func isAt(_ key: JSONValue, _ id: String) -> Bool {
            guard let mine = self.key, self.id.utf8.elementsEqual(id.utf8) else { return false }
            return mine.couchOrder(to: key) == 0
        }

        init(key: JSONValue?, id: String) {
            self.key = key
            self.id = id
        }

        init?(_ text: String) {
            guard let bytes = Base64URL.bytes(of: text),
                let parts = (try? JSONText.value(from: bytes))?.arrayValue,
                (1...2).contains(parts.count), let id = parts[0].stringValue
            else { return nil }
            self.init(key: parts.count == 2 ? parts[1] : nil, id: id)
        }
    }

    /// Whether an index is the one to be used.
    func names(_ declaration: Database.IndexDeclaration) -> Bool {
        let name = CouchViewName(index: declaration.name)
        return usedIndex == [name.design] || usedIndex == [name.design, name.view]
    }

    /// Reads the body of a request.
    ///
    /// - Throws: ``CouchError`` 400.
    init(_ body: [String: JSONValue]) throws(CouchError) {
        guard let json = body["selector"] else {
            throw CouchError(400, "missing_required_key", "Missing required key: selector")
        }
        selector = try CouchSelector(json)
        func number(_ name: String) throws(CouchError) -> Int? {
            guard let value = body[name] else { return nil }
            guard let number = value.integerValue, number >= 0 else {
                throw CouchError(400, "invalid_\(name)", "Invalid value for \(name)")
            }
            return Int(clamping: number)
        }
        limit = try number("limit") ?? 25
        skip = try number("skip") ?? 0
        if let list = body["sort"] { try readSort(list) }
        if let list = body["fields"], list != "all_fields", list != [] {
            guard let names = list.arrayValue?.map(\.stringValue), !names.contains(nil) else {
                throw CouchError(400, "invalid_fields", "Fields must be an array of strings")
            }
            fields = names.compactMap { $0 }
        }
        switch body["use_index"] {
        case .string(let text)?:
            usedIndex = text.split(separator: "/", maxSplits: 1).map(String.init)
        case .array(let list)?: usedIndex = list.compactMap(\.stringValue)
        default: break
        }
        if usedIndex.first == "_design" { usedIndex.removeFirst() }
        if let first = usedIndex.first, first.hasPrefix("_design/") {
            usedIndex[0] = String(first.dropFirst(8))
        }
        if let text = body["bookmark"]?.stringValue, !text.isEmpty, text != "nil" {
            guard let position = Position(text) else {
                throw CouchError(400, "invalid_bookmark", "Invalid bookmark value: \(text)")
            }
            self.position = position
        }
        if body["update"]?.boolValue == false || body["update"] == "false" { freshness = .stale }
        hasStatistics = body["execution_stats"]?.boolValue ?? false
        options.conflicts = body["conflicts"]?.boolValue ?? false
    }

    private mutating func readSort(_ json: JSONValue) throws(CouchError) {
        let bad = CouchError(400, "invalid_sort_json", "Sort must be an array of field names")
        guard let list = json.arrayValue else { throw bad }
        var directions: Set<String> = []
        for element in list {
            if let name = element.stringValue {
                sort.append(CouchSelectorReader.names(in: name))
                directions.insert("asc")
            } else if let member = element.objectValue, member.count == 1,
                let (name, value) = member.first, let direction = value.stringValue,
                ["asc", "desc"].contains(direction)
            {
                sort.append(CouchSelectorReader.names(in: name))
                directions.insert(direction)
            } else {
                throw bad
            }
        }
        guard directions.count < 2 else { throw .mixedSort }
        isDescending = directions == ["desc"]
    }
}

extension CouchError {
    /// Members in both directions.
    static var mixedSort: CouchError {
        CouchError(
            400, "unsupported_mixed_sort",
            "Sorts currently only support a single direction for all fields.")
    }
}
