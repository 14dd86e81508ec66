import Settle

/// How documents for a selector are looked for.
struct CouchFindPlan: Sendable {
    /// The index; nil for all documents by identifier.
    var declaration: Database.IndexDeclaration?
    /// What the first member of the key is between; without an index what the identifier is, by its bytes.
    var bounds = CouchSelector.Bounds()

    /// How far the bounds narrow a search.
    var rank: Int {
        if bounds.isConstant { return 3 }
        return (bounds.low == nil ? 0 : 1) + (bounds.high == nil ? 0 : 1)
    }

    /// Whether the key is the member itself, and not an array.
    var hasPlainKey: Bool { declaration?.keys.count == 1 }

    /// Where to begin in an index.
    func start(isDescending: Bool) -> JSONValue? {
        let bound = isDescending ? bounds.high : bounds.low
        return hasPlainKey ? bound : bound.map { [$0] }
    }

    /// Whether a document belongs into an answer in the order of some members: it has them all.
    ///
    /// An index of several members has rows of documents that lack some of them.
    func hasPlace(for document: JSONValue, in sort: [[String]]) -> Bool {
        declaration == nil || sort.allSatisfy { document.couchMember(at: $0) != nil }
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
        let byIdentifier = CouchFindPlan(bounds: query.selector.bounds(at: CouchSelector.idPath))
        let plans = try declarations().compactMap { declaration -> CouchFindPlan? in
            let keys = Self.members(of: declaration)
            guard declaration.collation == .unicode, let first = keys.first,
                !keys.contains(where: JSONValue.mayLeadIntoArrays)
            else { return nil }
            // One with a filter has some of the documents, and only whoever names it knows that those will do.
            guard query.names(declaration) || declaration.filter == nil else { return nil }
            var bounds = query.selector.bounds(at: first)
            // What is sorted by a member has the documents with it, which are those of the index.
            guard bounds.isPresent || first == CouchSelector.idPath || !query.sort.isEmpty else {
                return nil
            }
            if first == CouchSelector.idPath, !bounds.isConstant {
                // The order of views says nothing of that of bytes.
                (bounds.low, bounds.high) = (nil, nil)
            }
            return CouchFindPlan(declaration: declaration, bounds: bounds)
        }
        let fitting = plans.filter { plan in
            plan.declaration.map {
                gives(query.sort, Self.members(of: $0)[...], query.selector)
            } ?? false
        }
        if let named = fitting.first(where: { $0.declaration.map(query.names) ?? false }) {
            return named
        }
        if !query.sort.isEmpty, query.sort != [CouchSelector.idPath] {
            guard let first = fitting.max(by: { $0.rank < $1.rank }) else {
                throw CouchError(
                    400, "no_usable_index",
                    "No index exists for this sort, try indexing by the sort fields.")
            }
            return first
        }
        guard query.sort.isEmpty, let best = plans.max(by: { $0.rank < $1.rank }),
            best.rank > 0, best.rank >= byIdentifier.rank
        else { return byIdentifier }
        return best
    }

    /// What selectors call the members of the key of an index.
    static func members(of declaration: Database.IndexDeclaration) -> [[String]] {
        declaration.keys.map { path in
            path == [declaration.identifierName] ? CouchSelector.idPath : path
        }
    }

    /// Whether keys are in an order: it is that of their members, but for first ones that the selector fixes.
    private func gives(
        _ sort: [[String]], _ keys: ArraySlice<[String]>, _ selector: CouchSelector
    ) -> Bool {
        guard let wanted = sort.first else { return true }
        var keys = keys
        while let first = keys.first, first != wanted,
            selector.bounds(at: first).isConstant
        {
            keys.removeFirst()
        }
        return keys.starts(with: sort)
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
}
