import SettleIndexing
import Synchronization

/// The indexes that a database was given, by name.
final class IndexRegistry: Sendable {
    private let definitions = Mutex<[String: IndexDefinition]>([:])

    private static let nameLengthMax = 200

    var names: [String] { definitions.withLock { $0.keys.sorted() } }

    func definition(named name: String) throws(DatabaseError) -> IndexDefinition {
        guard let definition = definitions.withLock({ $0[name] }) else {
            let known = names.map { "'\($0)'" }.joined(separator: ", ")
            throw DatabaseError(
                .indexNotFound,
                "There is no index '\(name)'; the database has "
                    + (known.isEmpty ? "none." : "\(known)."))
        }
        return definition
    }

    /// Adds an index or puts a new definition in the place of the one with its name.
    func set(_ indexer: any Indexer) throws(DatabaseError) {
        let definition = IndexDefinition(indexer)
        guard (1...Self.nameLengthMax).contains(definition.name.utf8.count) else {
            throw DatabaseError(
                .invalidIndex,
                "The name of an index has 1 to \(Self.nameLengthMax) bytes, "
                    + "not \(definition.name.utf8.count).")
        }
        definitions.withLock { $0[definition.name] = definition }
    }

    /// Adds the indexes whose names are not known yet.
    func addMissing(_ indexers: [any Indexer]) throws(DatabaseError) {
        let known = Set(names)
        for indexer in indexers where !known.contains(indexer.name) { try set(indexer) }
    }

    func remove(named name: String) -> Bool {
        definitions.withLock { $0.removeValue(forKey: name) != nil }
    }
}
