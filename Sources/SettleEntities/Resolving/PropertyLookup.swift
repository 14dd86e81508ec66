import Settle

/// A question for the entity that has a value for a key.
struct PropertyLookup: Sendable, Hashable {
    var key: String
    var value: Primitive
}

/// What the index answered.
struct LookupAnswers: Sendable {
    /// The entities that had the value, and up to which change the index knew.
    struct Answer: Sendable {
        var ids: [String]
        var sequence: UInt64
    }

    /// Thrown by a closure that needs an answer that there is none of, or only one that is too old: ask, and run it again.
    struct Missing: Error {
        var lookup: PropertyLookup
    }

    /// How many changes since the index was asked are looked at one by one.
    static let laterChangeCountMax = 1_000

    private var answers: [PropertyLookup: Answer] = [:]

    subscript(lookup: PropertyLookup) -> Answer? { answers[lookup] }

    /// Asks the index, once for all.
    ///
    /// - Throws: What the query throws.
    mutating func ask(_ lookups: Set<PropertyLookup>, of database: Database) async throws {
        if lookups.isEmpty { return }
        let keys = Set(lookups.map { EntityIndex.key(ofValue: $0.value, for: $0.key) })
        var query = QueryByKeyList()
        query.keysJSON = Array(keys)
        query.reduce = false
        let result = try await database.runQuery(on: EntityIndex.name, with: query)
        var found: [JSONValue: [String]] = [:]
        for row in result.rows {
            if let id = row.documentId { found[row.keyJSON, default: []].append(id) }
        }
        for lookup in lookups {
            let key = EntityIndex.key(ofValue: lookup.value, for: lookup.key)
            answers[lookup] = Answer(ids: found[key] ?? [], sequence: result.sequence)
        }
    }

    /// Runs a closure, asking for what it misses, until it misses nothing.
    ///
    /// - Parameters:
    ///   - database: Whose index is asked.
    ///   - first: What is asked before the closure runs for the first time.
    ///   - body: The closure, which throws ``Missing``.
    /// - Returns: What the closure returns.
    /// - Throws: What the queries and the closure throw.
    static func withAnswers<Value>(
        of database: Database, asking first: Set<PropertyLookup> = [],
        _ body: (LookupAnswers) async throws -> Value
    ) async throws -> Value {
        var answers = LookupAnswers()
        try await answers.ask(first, of: database)
        while true {
            do {
                return try await body(answers)
            } catch let missing as Missing {
                try await answers.ask([missing.lookup], of: database)
            }
        }
    }
}

extension Snapshot {
    /// The live entities that have a value for a key, in the order in which they were added, then of their identifiers.
    ///
    /// The index was asked before this state of the database, so what has changed since is looked at, too.
    ///
    /// - Parameters:
    ///   - lookup: What is looked for.
    ///   - answers: What the index answered.
    ///   - editor: Changes that are not stored yet.
    ///   - later: What has changed since the index was asked.
    /// - Returns: Their identifiers.
    /// - Throws: ``LookupAnswers/Missing``; what reading throws.
    func entities(
        _ lookup: PropertyLookup, _ answers: LookupAnswers, editor: EntityEditor?,
        _ later: inout LaterChanges
    ) throws -> [String] {
        guard let answer = answers[lookup] else { throw LookupAnswers.Missing(lookup: lookup) }
        guard let changed = try later.ids(since: answer.sequence, in: self) else {
            throw LookupAnswers.Missing(lookup: lookup)
        }
        let candidates = Set(answer.ids).union(changed).union(editor?.changedIds ?? [])
        let holders = try candidates.filter { id in
            if let state = editor?.knownState(id) {
                guard !state.isDeleted,
                    case .value(lookup.value, _)? = state.value(of: lookup.key)?.content
                else { return false }
                return true
            }
            guard let document = try readable(id),
                case .value(lookup.value, _)? = document.entryContent(of: lookup.key)
            else { return false }
            return true
        }
        if holders.count < 2 { return Array(holders) }
        let states = try holders.compactMap { try editor?.knownState($0) ?? entity($0) }
        return states.sorted { ($0.first.moment, $0.id) < ($1.first.moment, $1.id) }.map(\.id)
    }

    /// The document of a live entity; one that cannot be read has no value that could match.
    private func readable(_ id: String) throws -> Document? {
        do {
            return try liveEntityDocument(id)
        } catch is DatastoreError {
            return nil
        }
    }
}

/// What has changed since the index was asked.
struct LaterChanges {
    private var known: [UInt64: Set<String>?] = [:]

    /// The documents that have changed since a sequence, without those of superseded entries.
    ///
    /// - Returns: Their identifiers; nil when they are too many to be looked at one by one.
    /// - Throws: What the database throws.
    mutating func ids(since sequence: UInt64, in snapshot: Snapshot) throws -> Set<String>? {
        // In a transaction nothing is stored before all was resolved.
        if let known = known[sequence] { return known }
        let changes = try snapshot.changes(
            since: sequence, limit: LookupAnswers.laterChangeCountMax + 1
        ).changes
        var ids: Set<String>?
        if changes.count <= LookupAnswers.laterChangeCountMax {
            ids = Set(
                changes.map(\.documentId)
                    .filter { !$0.utf8.starts(with: EntryIdentifier.prefix.utf8) })
        }
        known[sequence] = ids
        return ids
    }
}
extension EntityReference {
    /// What will be asked to resolve the reference, as far as its keys and values are known.
    var lookups: Set<PropertyLookup> {
        if core.resolved != nil { return [] }
        var lookups: Set<PropertyLookup> = []
        switch core.lookup {
        case .nothing, .identifier: break
        case .name(let name), .identifierOrName(_, let name):
            lookups.insert(.init(key: PropertyKey.name.name, value: .string(name)))
        case .key(let key, let value):
            if key.reference == nil, let value = value.value.flatMap({ try? $0.storable() }) {
                lookups.insert(.init(key: key.name, value: value))
            }
            lookups.formUnion(key.reference?.lookups ?? [])
            if case .reference(let reference) = value.content {
                lookups.formUnion(reference.lookups)
            }
        }
        return lookups.union(core.creation?.properties.lookups ?? []).union(updates.lookups)
    }
}

extension PropertyDictionary {
    /// What will be asked to resolve the references in keys and values.
    var lookups: Set<PropertyLookup> {
        sorted.reduce(into: []) { lookups, property in
            lookups.formUnion(property.key.reference?.lookups ?? [])
            if case .reference(let reference) = property.value.content {
                lookups.formUnion(reference.lookups)
            }
        }
    }
}
