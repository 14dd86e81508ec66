import Settle

/// How documents for a selector are looked for.
struct CouchFindPlan: Sendable {
    /// The index; nil for all documents by identifier.
    var declaration: Database.IndexDeclaration?
    /// What the first member of the key is between.
    var bounds = CouchSelector.Bounds()

    /// Whether the key is the member itself, and not an array.
    var hasPlainKey: Bool { declaration?.keys.count == 1 }

    /// Where to begin in an index.
    func start(isDescending: Bool) -> JSONValue? {
        let bound = isDescending ? bounds.high : bounds.low
        return hasPlainKey ? bound : bound.map { [$0] }
    }

    /// Whether a key of the index lies behind what is looked for.
    func isBehind(_ key: JSONValue, isDescending: Bool) -> Bool {
        let first = hasPlainKey ? key : key.arrayValue?.first ?? .null
        return isDescending
            ? bounds.low.map { first.couchOrder(to: $0) < 0 } ?? false
            : bounds.high.map { first.couchOrder(to: $0) > 0 } ?? false
    }
}

extension CouchDatabase {
    /// Chooses how to look: by the index that is named, the one that gives the order, or the one whose first member
    /// the selector narrows most.
    ///
    /// - Throws: ``CouchError`` when no index gives the order.
    func plan(_ query: CouchFindQuery) throws -> CouchFindPlan {
        let plans = try declarations().compactMap { declaration -> CouchFindPlan? in
            guard declaration.collation == .unicode, let first = declaration.keys.first else {
                return nil
            }
            let name = CouchViewName(index: declaration.name)
            let isNamed =
                query.usedIndex == [name.design]
                || query.usedIndex == [name.design, name.view]
            // One with a filter has some of the documents, and only whoever names it knows that those will do.
            guard isNamed || declaration.filter == nil else { return nil }
            let bounds = query.selector.bounds(at: first == ["id"] ? ["_id"] : first)
            guard bounds.isPresent || first == ["id"] else { return nil }
            return CouchFindPlan(declaration: declaration, bounds: bounds)
        }
        let sort = query.sort.map { $0 == ["_id"] ? ["id"] : $0 }
        let fitting = plans.filter { $0.declaration?.keys.starts(with: sort) ?? false }
        if let named = fitting.first(where: { plan in
            let name = CouchViewName(index: plan.declaration?.name ?? "")
            return query.usedIndex == [name.design] || query.usedIndex == [name.design, name.view]
        }) {
            return named
        }
        if !sort.isEmpty, sort != [["id"]] {
            guard let first = fitting.first else {
                throw CouchError(
                    400, "no_usable_index",
                    "No index exists for this sort, try indexing by the sort fields.")
            }
            return first
        }
        guard sort.isEmpty else { return CouchFindPlan() }
        func rank(_ plan: CouchFindPlan) -> Int {
            let (low, high) = (plan.bounds.low, plan.bounds.high)
            if low != nil, low == high { return 3 }
            return low != nil && high != nil ? 2 : low != nil || high != nil ? 1 : 0
        }
        guard let best = plans.max(by: { rank($0) < rank($1) }), rank(best) > 0 else {
            return CouchFindPlan()
        }
        return best
    }

    /// POST to `_explain`.
    func explanation(_ query: CouchFindQuery) throws -> JSONValue {
        let plan = try plan(query)
        return [
            "dbname": .string(name), "index": Self.description(of: plan.declaration),
            "selector": query.selector.json, "limit": .integer(Int64(query.limit)),
            "skip": .integer(Int64(query.skip)),
            "fields": query.fields.map { .array($0.map { .string($0) }) } ?? "all_fields",
            "range": [
                "start_key": plan.start(isDescending: false) ?? .null,
                "end_key": plan.start(isDescending: true) ?? .null,
            ],
        ]
    }

    /// What a search has found.
    private struct Found {
        var documents: [[UInt8]] = []
        var position: CouchFindQuery.Position?
        var examined = 0
        var skipped = 0
    }

    /// POST to `_find`.
    ///
    /// - Returns: JSON text.
    /// - Complexity: Linear in the documents that the plan leaves over, up to the end of the page.
    func find(_ query: CouchFindQuery) async throws -> [UInt8] {
        let plan = try plan(query)
        var found = Found(position: query.position)
        if query.limit > 0 {
            if plan.declaration == nil {
                try findByIdentifier(query, &found)
            } else {
                try await find(query, by: plan, &found)
            }
        }
        var text = Array("{\"docs\":[\n".utf8)
        text += Array(found.documents.joined(separator: Array(",\n".utf8)))
        let bookmark = found.position?.text ?? "nil"
        text += Array("\n],\n\"bookmark\":\"\(bookmark)\"".utf8)
        if query.hasStatistics {
            text += Array(
                ",\"execution_stats\":{\"total_keys_examined\":0,\"total_docs_examined\":\(found.examined),\"total_quorum_docs_examined\":0,\"results_returned\":\(found.documents.count),\"execution_time_ms\":0}"
                    .utf8)
        }
        if plan.declaration == nil, query.sort.isEmpty {
            text += Array(
                ",\"warning\":\"No matching index found, create an index to optimize query time.\""
                    .utf8)
        }
        return text + Array("}".utf8)
    }

    /// How many documents are looked at in one snapshot.
    private static let findCount = 500

    private func findByIdentifier(_ query: CouchFindQuery, _ found: inout Found) throws {
        var backwards: [String]?
        if query.isDescending {
            backwards = try database.read { snapshot in
                var ids: [String] = []
                try snapshot.forEachView {
                    ids.append(try $0.id)
                    return true
                }
                return ids
            }
            if let last = query.position?.id {
                backwards?.removeAll { !CouchListing.isLess($0, last) }
            }
        }
        var place = query.position?.id
        while true {
            var ids: [String] = []
            if let some = backwards {
                ids = some.suffix(Self.findCount).reversed()
                backwards = some.dropLast(Self.findCount)
            } else {
                try database.read { snapshot in
                    try snapshot.forEachView(after: place) {
                        ids.append(try $0.id)
                        return ids.count < Self.findCount
                    }
                }
            }
            guard let last = ids.last else { return }
            place = last
            let isFull = try database.read { snapshot in
                for id in ids where try take(id, nil, query, &found, in: snapshot) { return true }
                return false
            }
            if isFull { return }
        }
    }

    private func find(
        _ query: CouchFindQuery, by plan: CouchFindPlan, _ found: inout Found
    ) async throws {
        let index = plan.declaration?.name ?? ""
        var place = query.position
        while true {
            var range = QueryByKeyRange()
            range.sortOrder = query.isDescending ? .descending : .ascending
            range.reduce = false
            range.freshness = query.freshness
            range.rowLimit = UInt(Self.findCount)
            if let place, let key = place.key {
                range.startKeyJSON = key
                range.startDocumentId = place.id
            } else {
                range.startKeyJSON = plan.start(isDescending: query.isDescending)
                // All keys that begin with the highest member.
                if query.isDescending, !plan.hasPlainKey { range.prefixMatchLevel = 1 }
            }
            let rows = try await database.runQuery(on: index, with: range).rows
            let before = place
            let isOver = try database.read { snapshot in
                for row in rows {
                    let id = row.documentId ?? ""
                    if row.keyJSON == before?.key, id == before?.id { continue }
                    if plan.isBehind(row.keyJSON, isDescending: query.isDescending) { return true }
                    place = CouchFindQuery.Position(key: row.keyJSON, id: id)
                    if try take(id, row.keyJSON, query, &found, in: snapshot) { return true }
                }
                return rows.count < Self.findCount
            }
            if isOver { return }
        }
    }

    /// Looks at a document.
    ///
    /// - Returns: Whether the page is full.
    private func take(
        _ id: String, _ key: JSONValue?, _ query: CouchFindQuery, _ found: inout Found,
        in snapshot: Snapshot
    ) throws -> Bool {
        guard !DocumentIdentifier.isDesign(id), try seesWinner(of: id, in: snapshot),
            let document = try snapshot.document(id),
            let tree = try tree(of: id, in: snapshot), let winner = tree.winner
        else { return false }
        found.examined += 1
        let value = try Self.value(of: document, winner)
        guard query.selector.matches(value) else { return false }
        guard found.skipped >= query.skip else {
            found.skipped += 1
            return false
        }
        if let fields = query.fields {
            found.documents.append(JSONText.text(of: Self.projected(value, fields)))
        } else {
            found.documents.append(
                try Self.text(of: id, winner, tree, query.options, in: snapshot))
        }
        found.position = CouchFindQuery.Position(key: key, id: id)
        return found.documents.count >= query.limit
    }

    /// A leaf as selectors see it.
    static func value(of document: Document, _ leaf: RevisionTree.Leaf) throws -> JSONValue {
        var members = try document.packed().value().objectValue ?? [:]
        members["_id"] = .string(document.id)
        members["_rev"] = .string(leaf.name.description)
        if leaf.isDeleted { members["_deleted"] = true }
        return .object(members)
    }

    private static func projected(_ value: JSONValue, _ fields: [String]) -> JSONValue {
        var result: JSONValue = [:]
        for field in fields {
            let path = CouchSelectorReader.names(in: field)
            guard let found = value.couchMember(at: path) else { continue }
            result = setting(found, at: path[...], in: result)
        }
        return result
    }

    private static func setting(
        _ value: JSONValue, at path: ArraySlice<String>, in whole: JSONValue
    ) -> JSONValue {
        guard let first = path.first else { return value }
        var members = whole.objectValue ?? [:]
        members[first] = setting(value, at: path.dropFirst(), in: members[first] ?? [:])
        return .object(members)
    }
}
