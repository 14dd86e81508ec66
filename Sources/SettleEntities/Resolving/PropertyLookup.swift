import Settle
import SettlePrimitives

/// A question for the entity that has a value for a key.
struct PropertyLookup: Sendable {
    let key: String
    let value: Primitive
    /// Its place in the index.
    let number: Int64

    init(key: String, value: Primitive) {
        self.key = key
        self.value = value
        number = ValueKey.number(of: value, for: key)
    }
}

/// What the index answered.
struct LookupAnswers: Sendable {
    /// The entities that may have the value, and up to which change the index knew.
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

    /// By the numbers of the questions.
    private var answers: [Int64: Answer] = [:]

    subscript(lookup: PropertyLookup) -> Answer? { answers[lookup.number] }

    /// Asks the index, once for all.
    ///
    /// - Throws: What the query throws.
    mutating func ask(_ lookups: [PropertyLookup], of database: Database) async throws {
        if lookups.isEmpty { return }
        // The rows are as of now or later.
        let sequence = try database.lastSequence
        var unanswered: [Int64: Answer] = [:]
        for lookup in lookups { unanswered[lookup.number] = Answer(ids: [], sequence: sequence) }
        let found = try await database.readRows(
            of: EntityIndex.name, with: EntityIndex.having(unanswered.keys), into: unanswered
        ) { answers, row in
            guard let number = try row.key.integer else { return }
            let id = try row.documentId
            // Two keys of an entity may share a number, too.
            if answers[number]?.ids.last != id { answers[number]?.ids.append(id) }
        }
        answers.merge(found) { _, later in later }
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
        of database: Database, asking first: [PropertyLookup] = [],
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

/// What has changed since the index was asked.
struct LaterChanges {
    private var known: [UInt64: Set<ExactText>?] = [:]

    /// The documents that have changed since a sequence, without those of superseded entries.
    ///
    /// - Returns: Their identifiers; nil when they are too many to be looked at one by one.
    /// - Throws: What the database throws.
    mutating func ids(since sequence: UInt64, in snapshot: Snapshot) throws -> Set<ExactText>? {
        // In a transaction nothing is stored before all was resolved.
        if snapshot.sequence <= sequence { return [] }
        if let known = known[sequence] { return known }
        let changes = try snapshot.changes(
            since: sequence, limit: LookupAnswers.laterChangeCountMax + 1
        ).changes
        var ids: Set<ExactText>?
        if changes.count <= LookupAnswers.laterChangeCountMax {
            ids = Set(
                changes.map(\.documentId)
                    .filter { !$0.utf8.starts(with: EntryIdentifier.prefix.utf8) }
                    .map { ExactText($0) })
        }
        known[sequence] = ids
        return ids
    }
}

extension EntityReference {
    /// Adds what will be asked to resolve the reference and to write its updates, as far as keys and values are known.
    ///
    /// The updates of references in its properties are not looked at: they are not written, and may lead back to it.
    func addLookupsWithUpdates(to lookups: inout [PropertyLookup]) {
        addLookups(to: &lookups)
        updates.addLookups(to: &lookups)
    }

    /// Adds what will be asked to resolve the reference, as far as its keys and values are known.
    func addLookups(to lookups: inout [PropertyLookup]) {
        if core.resolved != nil { return }
        switch core.lookup {
        case .nothing, .identifier: break
        case .name(let name), .identifierOrName(_, let name):
            lookups.append(.init(key: PropertyKey.name.name, value: .string(name)))
        case .key(let key, let value):
            if key.reference == nil, let value = value.value.flatMap({ try? $0.storable() }) {
                lookups.append(.init(key: key.name, value: value))
            }
            key.reference?.addLookups(to: &lookups)
            if case .reference(let reference) = value.content {
                reference.addLookups(to: &lookups)
            }
        }
        core.creation?.properties.addLookups(to: &lookups)
    }
}

extension PropertyDictionary {
    /// Adds what will be asked to resolve the references in keys and values.
    func addLookups(to lookups: inout [PropertyLookup]) {
        if isEmpty { return }
        for (key, value) in all {
            key.reference?.addLookups(to: &lookups)
            if case .reference(let reference) = value.content {
                reference.addLookups(to: &lookups)
            }
        }
    }
}
