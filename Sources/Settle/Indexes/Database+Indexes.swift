import SettleIndexing
import SettleStorage

extension Database {
    /// The names of the indexes the database was given, sorted.
    public var indexNames: [String] { indexes.names }

    /// Gives the database an index and builds it.
    ///
    /// An index with this name is replaced; when version and declaration are the same, its rows
    /// stay. Queries that are observed are run again.
    ///
    /// - Throws: ``DatabaseError`` with `invalidIndex` when the name cannot be used, `indexFailed` when
    ///   a map function emits what cannot be stored, `indexChanged` when another index took its
    ///   name meanwhile; otherwise as ``write(_:)``.
    public func addIndex(_ indexer: any Indexer) async throws {
        try indexes.set(indexer)
        let entry = try indexes.entry(named: indexer.name)
        try await bringUpToDate(entry, to: try lastSequence)
        observers.databaseChanged()
    }

    /// Takes an index away and frees its pages.
    ///
    /// - Throws: ``DatabaseError`` with `indexNotFound`; otherwise as ``write(_:)``.
    public func removeIndex(named name: String) async throws {
        _ = try indexes.entry(named: name)
        // First from the registry: a build that is under way then stops by itself.
        indexes.remove(named: name)
        try await DatabaseError.translating {
            try await store.write { try IndexBuilder.remove(name: name, in: $0) }
        }
        observers.databaseChanged()
    }

    /// The most changes that are mapped in one commit, so that other writers get their turn.
    private static let changesPerStep = 2_000

    /// Maps documents until the index holds every change up to a sequence.
    func bringUpToDate(_ entry: IndexRegistry.Entry, to sequence: UInt64) async throws {
        let builder = IndexBuilder(entry.definition)
        let indexes = indexes
        try await DatabaseError.translating {
            while true {
                let reached = try await store.write { transaction in
                    guard indexes.isCurrent(entry) else {
                        throw DatabaseError(
                            .indexChanged,
                            "The index '\(entry.definition.name)' was replaced or removed while "
                                + "it was being built.")
                    }
                    return try builder.step(
                        in: transaction, changeCountMax: Self.changesPerStep)
                }
                if reached >= sequence { return }
                try Task.checkCancellation()
            }
        }
    }
}
