import SettleIndexing
import SettleStorage

extension Database {
    /// The names of the indexes the database was given, sorted.
    public var indexNames: [String] { indexes.names }

    /// Gives the database an index and builds it.
    ///
    /// An index with this name is replaced; when version and declaration are the same, its rows
    /// stay.
    ///
    /// - Throws: ``DatabaseError`` with `invalidIndex` when the name cannot be used, `indexFailed` when
    ///   a map function emits what cannot be stored; otherwise as ``write(_:)``.
    public func addIndex(_ indexer: any Indexer) async throws {
        try indexes.set(indexer)
        try await bringUpToDate(try indexes.definition(named: indexer.name))
    }

    /// Takes an index away and frees its pages.
    ///
    /// - Throws: ``DatabaseError`` with `indexNotFound`; otherwise as ``write(_:)``.
    public func removeIndex(named name: String) async throws {
        _ = try indexes.definition(named: name)
        _ = indexes.remove(named: name)
        try await DatabaseError.translating {
            try await store.write { try IndexBuilder.remove(name: name, in: $0) }
        }
    }

    /// The most changes that are mapped in one commit, so that other writers get their turn.
    private static let changesPerStep = 2_000

    func bringUpToDate(_ definition: IndexDefinition) async throws {
        let builder = IndexBuilder(definition)
        try await DatabaseError.translating {
            while try await !store.write({
                try builder.step(in: $0, changeCountMax: Self.changesPerStep)
            }) {
                try Task.checkCancellation()
            }
        }
    }
}
