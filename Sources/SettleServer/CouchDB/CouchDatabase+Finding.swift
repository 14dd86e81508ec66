import Settle

extension CouchDatabase {
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
    /// - Throws: ``CouchError`` when no index gives the order; ``DatabaseError``.
    /// - Complexity: Linear in the documents that the plan leaves over, up to the end of the page.
    func find(_ query: CouchFindQuery) async throws -> [UInt8] {
        var query = query
        for _ in 0..<Self.planCountMax {
            do {
                return try await find(query, by: try plan(query))
            } catch let error as DatabaseError
                where [.indexChanged, .indexNotFound].contains(error.code)
            {
                // The index is another by now, or its rows are those of another, or it is gone. What is at
                // hand then will not do.
                query.freshness = .current
            }
        }
        return try await find(query, by: try plan(query))
    }

    /// How often a search begins anew because its index was replaced meanwhile.
    private static let planCountMax = 8

    private func find(_ query: CouchFindQuery, by plan: CouchFindPlan) async throws -> [UInt8] {
        var found = Found(position: query.position)
        if query.limit > 0 {
            if let declaration = plan.declaration {
                try await find(query, by: plan, declaration, &found)
            } else {
                try findByIdentifier(query, plan, &found)
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

    private func findByIdentifier(
        _ query: CouchFindQuery, _ plan: CouchFindPlan, _ found: inout Found
    ) throws {
        // What is no text comes before all identifiers, or behind all of them: the selector tells.
        var (low, high) = (plan.bounds.low?.stringValue, plan.bounds.high?.stringValue)
        var place = query.position?.id
        while true {
            if let place, query.isDescending {
                high = [high, place].compactMap { $0 }.min(by: CouchListing.isLess)
            } else if let place {
                low = [low, place].compactMap { $0 }.max(by: CouchListing.isLess)
            }
            let isOver = try database.read { snapshot in
                var ids: [String] = []
                try snapshot.forEachView(from: low, to: high, isDescending: query.isDescending) {
                    let id = try $0.id
                    // Looked at already, on the page before or in the bookmark's.
                    if let place, place.utf8.elementsEqual(id.utf8) { return true }
                    ids.append(id)
                    return ids.count < Self.findCount
                }
                for id in ids where try take(id, nil, query, plan, &found, in: snapshot) {
                    return true
                }
                place = ids.last
                return ids.count < Self.findCount
            }
            if isOver { return }
        }
    }

    private func find(
        _ query: CouchFindQuery, by plan: CouchFindPlan,
        _ declaration: Database.IndexDeclaration, _ found: inout Found
    ) async throws {
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
            let rows = try await database.runQuery(on: declaration, with: range).rows
            let before = place
            let isOver = try database.read { snapshot in
                for row in rows {
                    let id = row.documentId ?? ""
                    if before?.isAt(row.keyJSON, id) ?? false { continue }
                    if plan.isBehind(row.keyJSON, isDescending: query.isDescending) { return true }
                    place = CouchFindQuery.Position(key: row.keyJSON, id: id)
                    if try take(id, row.keyJSON, query, plan, &found, in: snapshot) {
                        return true
                    }
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
        _ id: String, _ key: JSONValue?, _ query: CouchFindQuery, _ plan: CouchFindPlan,
        _ found: inout Found, in snapshot: Snapshot
    ) throws -> Bool {
        guard !DocumentIdentifier.isDesign(id), try seesWinner(of: id, in: snapshot),
            let document = try snapshot.document(id),
            let tree = try tree(of: id, in: snapshot), let winner = tree.winner
        else { return false }
        found.examined += 1
        let value = try Self.value(of: document, winner)
        guard query.selector.matches(value), plan.hasPlace(for: value, in: query.sort) else {
            return false
        }
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
