import SettleIndexing
import SettlePrimitives
import Synchronization

/// The indexes that a database was given, by name.
final class IndexRegistry: Sendable {
    /// A definition and the number it was registered under, by which a later one is told from it.
    struct Entry: Sendable {
        let definition: IndexDefinition
        /// The version that the author gave; that of the definition says more.
        let version: String
        let number: Int
        /// True when it is only known because the database keeps its declaration.
        let isStored: Bool
        /// The versions of the rows of others that the database kept under the name when it became
        /// known from there: what comes later takes its place.
        let passedOver: Set<String>
    }

    /// How often an index was removed, and how many removals are under way.
    struct Removals: Equatable {
        var count = 0
        var underWay = 0
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var removals: [String: Removals] = [:]
        var nextNumber = 0

        mutating func set(_ definition: IndexDefinition, version: String) {
            set(definition, version: version, isStored: false, passedOver: [])
        }

        mutating func set(_ stored: StoredIndex) {
            let definition = stored.definition
            set(
                definition, version: definition.declaredVersion ?? definition.version,
                isStored: true, passedOver: stored.passedOver)
        }

        private mutating func set(
            _ definition: IndexDefinition, version: String, isStored: Bool,
            passedOver: Set<String>
        ) {
            entries[definition.name] = Entry(
                definition: definition, version: version, number: nextNumber,
                isStored: isStored, passedOver: passedOver)
            nextNumber += 1
        }
    }
    private let state = Lock(State())

    private static let nameLengthMax = 200

    var names: [String] { state.withLock { $0.entries.keys.sorted() } }

    var entries: [Entry] { state.withLock { Array($0.entries.values) } }

    func entryIfThere(named name: String) -> Entry? {
        state.withLock { $0.entries[name] }
    }

    var definitions: [String: IndexDefinition] {
        state.withLock { $0.entries.mapValues(\.definition) }
    }

    func definition(named name: String) -> IndexDefinition? {
        state.withLock { $0.entries[name]?.definition }
    }

    func entry(named name: String) throws(DatabaseError) -> Entry {
        guard let entry = state.withLock({ $0.entries[name] }) else {
            let known = names.map { "'\($0)'" }.joined(separator: ", ")
            throw DatabaseError(
                .indexNotFound,
                "There is no index '\(name)'; the database has "
                    + (known.isEmpty ? "none." : "\(known)."))
        }
        return entry
    }

    /// True as long as the entry was neither replaced nor removed.
    func isCurrent(_ entry: Entry) -> Bool {
        state.withLock { $0.entries[entry.definition.name]?.number == entry.number }
    }

    /// Adds an index or puts a new definition in the place of the one with its name.
    func set(_ indexer: any Indexer) throws(DatabaseError) {
        try Self.check(indexer)
        let definition = IndexDefinition(indexer)
        state.withLock { $0.set(definition, version: indexer.version) }
    }

    /// Adds declared indexes that the database keeps, as far as their names are not known.
    func addStored(_ indexes: [StoredIndex]) {
        state.withLock { state in
            for index in indexes where state.entries[index.definition.name] == nil {
                state.set(index)
            }
        }
    }

    /// What is known of removals of an index; to be asked before it is looked up in the file.
    func removals(of name: String) -> Removals {
        state.withLock { $0.removals[name] ?? Removals() }
    }

    /// Adds a declared index that was found in the file, unless its name is known, or it was or is
    /// being removed since.
    func addStored(_ index: StoredIndex, unlessRemovedSince removals: Removals) {
        let name = index.definition.name
        state.withLock { state in
            guard removals.underWay == 0, state.removals[name] ?? Removals() == removals,
                state.entries[name] == nil
            else { return }
            state.set(index)
        }
    }

    /// From now on an entry is what the database keeps under its name.
    ///
    /// - Parameters:
    ///   - entry: The entry, whose rows are there.
    ///   - passedOver: The versions of the other rows under the name.
    func markStored(_ entry: Entry, passingOver passedOver: Set<String>) {
        let name = entry.definition.name
        state.withLock { state in
            guard state.entries[name]?.number == entry.number else { return }
            state.entries[name] = Entry(
                definition: entry.definition, version: entry.version, number: entry.number,
                isStored: true, passedOver: passedOver)
        }
    }

    /// Puts what the database keeps by now in the place of an entry that was known from there.
    func replace(_ entry: Entry, with index: StoredIndex) {
        state.withLock { state in
            guard state.entries[entry.definition.name]?.number == entry.number else { return }
            state.set(index)
        }
    }

    /// Adds the indexes whose names are not known yet, or only from what the database keeps.
    func addMissing(_ indexers: [any Indexer]) throws(DatabaseError) {
        try Self.check(indexers)
        let definitions = indexers.map { (definition: IndexDefinition($0), version: $0.version) }
        state.withLock { state in
            for (definition, version) in definitions
            where state.entries[definition.name].map(\.isStored) ?? true {
                state.set(definition, version: version)
            }
        }
    }

    /// Forgets an index that is about to be removed from the file; ``endRemoval(of:)`` follows.
    ///
    /// - Returns: What was known of it.
    func beginRemoval(of name: String) -> Entry? {
        state.withLock { state in
            state.removals[name, default: Removals()].count += 1
            state.removals[name, default: Removals()].underWay += 1
            return state.entries.removeValue(forKey: name)
        }
    }

    /// The removal of an index is over, whether it succeeded or not.
    func endRemoval(of name: String) {
        state.withLock { $0.removals[name, default: Removals()].underWay -= 1 }
    }

    /// Puts an entry back that was removed, unless another has its name by now.
    func restore(_ entry: Entry) {
        state.withLock { state in
            let name = entry.definition.name
            if state.entries[name] == nil { state.entries[name] = entry }
        }
    }

    /// Forgets an entry that was neither replaced nor removed meanwhile.
    func forget(_ entry: Entry) {
        let name = entry.definition.name
        state.withLock { state in
            if state.entries[name]?.number == entry.number { state.entries[name] = nil }
        }
    }

    /// Refuses indexes that cannot be registered.
    static func check(_ indexers: [any Indexer]) throws(DatabaseError) {
        var names: Set<String> = []
        for indexer in indexers {
            try check(indexer)
            guard names.insert(indexer.name).inserted else {
                throw DatabaseError(
                    .invalidIndex, "Two indexes have the name '\(indexer.name)'.")
            }
        }
    }

    private static func check(_ indexer: any Indexer) throws(DatabaseError) {
        let name = indexer.name
        guard (1...nameLengthMax).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw DatabaseError(
                .invalidIndex,
                "The name of an index has 1 to \(nameLengthMax) bytes and no NUL, unlike "
                    + "'\(name)'.")
        }
    }
}
