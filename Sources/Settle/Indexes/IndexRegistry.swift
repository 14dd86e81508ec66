import SettleIndexing
import Synchronization

/// The indexes that a database was given, by name.
final class IndexRegistry: Sendable {
    /// A definition and the number it was registered under, by which a later one is told from it.
    struct Entry: Sendable {
        let definition: IndexDefinition
        let number: Int
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var nextNumber = 0
    }
    private let state = Mutex(State())

    private static let nameLengthMax = 200

    var names: [String] { state.withLock { $0.entries.keys.sorted() } }

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
        state.withLock { state in
            state.entries[definition.name] = Entry(
                definition: definition, number: state.nextNumber)
            state.nextNumber += 1
        }
    }

    /// Adds the indexes whose names are not known yet.
    func addMissing(_ indexers: [any Indexer]) throws(DatabaseError) {
        let known = Set(names)
        for indexer in indexers where !known.contains(indexer.name) { try set(indexer) }
    }

    func remove(named name: String) {
        _ = state.withLock { $0.entries.removeValue(forKey: name) }
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
