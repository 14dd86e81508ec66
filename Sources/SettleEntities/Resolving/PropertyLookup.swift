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

    /// Asks the index.
    ///
    /// - Throws: What the query throws.
    mutating func ask(_ lookup: PropertyLookup, of database: Database) async throws {
        let result = try await database.runQuery(
            on: EntityIndex.name, with: EntityIndex.having(lookup.value, for: lookup.key))
        answers[lookup] = Answer(
            ids: result.rows.compactMap(\.documentId), sequence: result.sequence)
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
        for lookup in first { try await answers.ask(lookup, of: database) }
        while true {
            do {
                return try await body(answers)
            } catch let missing as Missing {
                try await answers.ask(missing.lookup, of: database)
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
    /// - Returns: The entities.
    /// - Throws: ``LookupAnswers/Missing``; what reading throws.
    func entities(
        _ lookup: PropertyLookup, _ answers: LookupAnswers, editor: EntityEditor?
    ) throws -> [EntityState] {
        guard let answer = answers[lookup] else { throw LookupAnswers.Missing(lookup: lookup) }
        let later = try changes(
            since: answer.sequence, limit: LookupAnswers.laterChangeCountMax + 1
        ).changes
        guard later.count <= LookupAnswers.laterChangeCountMax else {
            throw LookupAnswers.Missing(lookup: lookup)
        }
        let candidates = Set(answer.ids).union(later.map(\.documentId))
            .filter { !$0.utf8.starts(with: EntryIdentifier.prefix.utf8) }
            .union(editor?.changedIds ?? [])
        let found = try candidates.compactMap { id -> EntityState? in
            // One that cannot be read has no value that could match.
            guard let state = try editor?.knownState(id) ?? readable(id), !state.isDeleted,
                case .value(lookup.value, _)? = state.value(of: lookup.key)?.content
            else { return nil }
            return state
        }
        return found.sorted { ($0.first.moment, $0.id) < ($1.first.moment, $1.id) }
    }

    private func readable(_ id: String) throws -> EntityState? {
        do {
            return try entity(id)
        } catch is DatastoreError {
            return nil
        }
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
