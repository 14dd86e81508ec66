import SettleDocuments
package import SettleStorage

/// Answers a query from the rows of an index.
package struct QueryRunner {
    private let definition: IndexDefinition
    private let collator: Collator
    private let rows: RowTable

    /// A runner over an index that has been built.
    ///
    /// - Throws: ``IndexError/notBuilt(name:)`` when the index has no tables in this state.
    package init(_ definition: IndexDefinition, in snapshot: StoreSnapshot) throws {
        guard
            let tables = try IndexTables(findingIn: snapshot, index: definition.name)
        else { throw IndexError.notBuilt(name: definition.name) }
        self.definition = definition
        self.collator = Collator(definition.strings)
        self.rows = tables.rows
    }

    /// Runs a query.
    ///
    /// - Returns: The rows asked for, in order.
    /// - Throws: ``IndexError/corrupted(place:)``, ``IndexError/reduceFailed(reason:)``, what a custom
    ///   reduce throws, ``StorageError``, ``PackedError``.
    /// - Complexity: O(log n + k) for k rows passed over, returned, or summed up.
    package func run(_ query: IndexQuery) throws -> [IndexRow] {
        if query.limit == 0 { return [] }
        guard query.summary != .rows, let reducer = definition.reducer else {
            return try plainRows(query)
        }
        return try summedRows(query, reducer)
    }

    private func plainRows(_ query: IndexQuery) throws -> [IndexRow] {
        var result: [IndexRow] = []
        var toSkip = query.skip
        try forEachRow(query) { _, key, stored in
            if toSkip > 0 {
                toSkip -= 1
                return true
            }
            let row = try decode(stored)
            guard let parts = RowKey.parts(of: key) else { throw corrupted }
            result.append(
                IndexRow(
                    documentID: parts.documentID, key: try row.key.value(),
                    value: try row.value?.value()))
            return query.limit.map { result.count < $0 } ?? true
        }
        return result
    }

    private func summedRows(_ query: IndexQuery, _ reducer: Reducer) throws -> [IndexRow] {
        var result: [IndexRow] = []
        var group: Group?
        var toSkip = query.skip

        func finish(_ group: Group) throws {
            if toSkip > 0 {
                toSkip -= 1
            } else {
                result.append(
                    IndexRow(
                        documentID: nil, key: group.key,
                        value: try group.reduction.result(reducer)))
            }
        }

        try forEachRow(query) { part, key, stored in
            let identity = try groupIdentity(of: key, query.summary)
            // A key that was asked for twice is answered twice.
            let place = query.summary == .total ? 0 : part
            if let finished = group, finished.identity != identity || finished.part != place {
                try finish(finished)
                group = nil
                if let limit = query.limit, result.count >= limit { return false }
            }
            let row = try decode(stored)
            let emitted = try row.key.value()
            if group == nil {
                group = Group(
                    part: place, identity: identity, key: groupKey(of: emitted, query.summary),
                    reduction: Reduction())
            }
            try group?.reduction.add(key: emitted, value: try row.value?.value(), reducer)
            return true
        }
        if let group, query.limit.map({ result.count < $0 }) ?? true { try finish(group) }
        return result
    }

    private struct Group {
        /// Which key of a list the rows were asked for by.
        let part: Int
        /// The bytes that the row keys of the group have in common.
        let identity: [UInt8]
        let key: JSONValue?
        var reduction: Reduction
    }

    private func groupIdentity(of key: [UInt8], _ summary: IndexQuery.Summary) throws -> [UInt8] {
        switch summary {
        case .rows, .total:
            return []
        case .firstElements(let count):
            if let length = CollationKey.groupPrefixLength(of: key, elements: count) {
                return Array(key[..<length])
            }
            fallthrough
        case .exactKeys:
            guard let end = CollationKey.end(of: key[...]) else { throw corrupted }
            return Array(key[..<end])
        }
    }

    private func groupKey(of key: JSONValue, _ summary: IndexQuery.Summary) -> JSONValue? {
        switch (summary, key) {
        case (.total, _): nil
        case (.firstElements(let count), .array(let elements)):
            .array(Array(elements.prefix(count)))
        default: key
        }
    }

    /// Walks the rows a query selects, in its order; `part` numbers the keys of a list.
    private func forEachRow(
        _ query: IndexQuery,
        _ body: (_ part: Int, _ key: [UInt8], _ stored: [UInt8]) throws -> Bool
    ) throws {
        switch query.selection {
        case .range(let start, let end):
            _ = try walk(start, end, query.isDescending) { try body(0, $0, $1) }
        case .keys(let keys):
            for (part, key) in keys.enumerated() {
                let bound = IndexQuery.KeyBound(key: key)
                guard try walk(bound, bound, query.isDescending, { try body(part, $0, $1) })
                else { return }
            }
        }
    }

    /// Answers false when `body` stopped the walk.
    private func walk(
        _ start: IndexQuery.KeyBound?, _ end: IndexQuery.KeyBound?, _ isDescending: Bool,
        _ body: (_ key: [UInt8], _ stored: [UInt8]) throws -> Bool
    ) throws -> Bool {
        let range = KeyRange(
            start: start, end: end, isDescending: isDescending, collator: collator)
        var goesOn = true
        try rows.forEach(
            from: range.lower, to: range.upper, isDescending: isDescending
        ) { key, stored in
            goesOn = try body(key, stored)
            return goesOn
        }
        return goesOn
    }

    private func decode(_ stored: [UInt8]) throws -> StoredRow {
        guard let row = StoredRow(stored) else { throw corrupted }
        return row
    }

    private var corrupted: IndexError { .corrupted(place: "rows of index '\(definition.name)'") }
}
