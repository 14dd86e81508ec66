import SettleDocuments
import SettleIndexing
import SettleStorage
import Synchronization

extension Database {
    /// The names of the indexes that can be asked, sorted: those the database was given, and those
    /// declared ones that it keeps from before.
    public var indexNames: [String] { indexes.names }

    /// Gives the database an index and builds it.
    ///
    /// An index with this name is replaced; when version and declaration are the same, its rows
    /// stay. While rows of an older version are there, they answer queries that take what is at
    /// hand (``QueryFreshness/stale``). Queries that are observed are run again.
    ///
    /// - Parameters:
    ///   - indexer: The index.
    ///   - progress: Called with how far the build has come, from any thread.
    /// - Throws: ``DatabaseError`` with `invalidIndex` when the name cannot be used, `indexChanged`
    ///   when another index took its name meanwhile; otherwise as ``write(_:)``.
    public func addIndex(
        _ indexer: any Indexer, progress: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws {
        let replaced = indexes.entryIfThere(named: indexer.name)
        try indexes.set(indexer)
        // Also when the build is broken off: who observes sees to it then.
        defer { observers.wake() }
        if let replaced { await indexEngine.stop(replaced.number) }
        try await buildIndex(named: indexer.name, progress: progress)
    }

    /// Gives the database an index and builds it; so that `.keyPaths(…)` and the like need no type.
    ///
    /// - Throws: as the form that takes any indexer.
    public func addIndex(
        _ index: Index, progress: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws {
        try await addIndex(index as any Indexer, progress: progress)
    }

    /// Builds an index, or brings it up to date, and returns when that is done.
    ///
    /// A build that goes on already is joined. It goes on when the task that waits is cancelled.
    ///
    /// - Parameters:
    ///   - name: The index.
    ///   - progress: Called with how far a build has come, from any thread.
    /// - Throws: ``DatabaseError`` with `indexNotFound`, `indexChanged`; otherwise as ``write(_:)``.
    /// - Complexity: A build maps every document, on all cores, and sorts the rows.
    public func buildIndex(
        named name: String, progress: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws {
        let entry = try knownEntry(named: name)
        try await bringUpToDate(entry, to: try lastSequence, report: progress)
    }

    /// Takes an index away and frees its pages.
    ///
    /// - Throws: ``DatabaseError`` with `indexNotFound`; otherwise as ``write(_:)``.
    public func removeIndex(named name: String) async throws {
        guard !configuration.isReadOnly else {
            throw DatabaseError(
                .readOnly,
                "The index '\(name)' cannot be removed: the database was opened for reading only.")
        }
        let isKept = try read { try IndexState.names(in: $0.base).contains(name) }
        if !isKept { _ = try indexes.entry(named: name) }
        // First from the registry: a build that is under way then stops by itself.
        let removed = indexes.beginRemoval(of: name)
        defer { indexes.endRemoval(of: name) }
        if let removed { await indexEngine.stop(removed.number) }
        do {
            try await DatabaseError.translating {
                try await indexEngine.remove(named: name)
            }
        } catch {
            // It is still there, so it can still be asked.
            if let removed { indexes.restore(removed) }
            observers.wake()
            throw error
        }
        observers.wake()
    }

    /// What the indexes are and how far they have come, by name: those that can be asked, and
    /// those of which only rows are there.
    ///
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read.
    public func indexStatuses() throws -> [IndexStatus] {
        try followOtherProcesses()
        return try read { snapshot in
            let kept = try DatabaseError.translating { try IndexState.names(in: snapshot.base) }
            return try Set(indexes.names).union(kept).sorted().map {
                try status(of: $0, in: snapshot)
            }
        }
    }

    /// What an index is and how far it has come.
    ///
    /// - Throws: ``DatabaseError`` with `indexNotFound`; when the database is closed or cannot be read.
    public func indexStatus(named name: String) throws -> IndexStatus {
        let statuses = try indexStatuses()
        guard let status = statuses.first(where: { $0.name == name }) else {
            _ = try indexes.entry(named: name)
            throw DatabaseError(.indexNotFound, "The index '\(name)' was removed meanwhile.")
        }
        return status
    }

    /// Whether an index has a reduce function; nil when none of this name is known.
    ///
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read.
    /// - Complexity: O(log n) in the number of indexes, unlike ``indexStatus(named:)``.
    package func hasReducer(ofIndexNamed name: String) throws -> Bool? {
        do {
            return try currentEntry(named: name).definition.reducer != nil
        } catch let error as DatabaseError where error.code == .indexNotFound {
            return nil
        }
    }

    /// The documents that the map function of an index could not map, by identifier.
    ///
    /// - Parameters:
    ///   - name: The index.
    ///   - limit: The most to list.
    /// - Returns: As of the last time the index was built or brought up to date.
    /// - Throws: ``DatabaseError`` with `indexNotFound`; when the database is closed or cannot be read.
    public func indexErrors(of name: String, limit: Int = 1_000) throws -> [IndexMapError] {
        try read { snapshot in
            try DatabaseError.translating {
                let definition = indexes.definition(named: name)
                guard
                    let view = try IndexReader(
                        of: name, fitting: definition, in: snapshot.base)
                else {
                    _ = try indexes.entry(named: name)
                    return []
                }
                return try view.failures(limit: limit).map {
                    IndexMapError(documentId: $0.id, reason: $0.reason, isCrash: $0.isCrash)
                }
            }
        }
    }

    private func status(of name: String, in snapshot: Snapshot) throws -> IndexStatus {
        try DatabaseError.translating {
            let entry = indexes.entryIfThere(named: name)
            let definition = entry?.definition
            let view = try IndexReader(of: name, fitting: definition, in: snapshot.base)
            // Without a definition and rows there is a build that another process has begun.
            let stored =
                try view?.state
                ?? IndexState.states(of: name, in: snapshot.base).values.first
            let declaration = try Self.declaration(name, stored, definition)
            let version = stored.map {
                IndexReduction.version(ofIdentity: $0.version, reducer: $0.reducer)
            }
            return IndexStatus(
                name: name, version: entry?.version ?? declaration?.version ?? version ?? "",
                declaration: declaration,
                isDefined: definition != nil,
                reduce: (view?.state.reducer).flatMap { $0.isEmpty ? nil : $0 },
                isBuilt: view != nil,
                isCurrent: view?.isCurrent(at: snapshot.sequence) ?? false,
                sequence: view?.state.sequence ?? 0, rowCount: try view?.rowCount ?? 0,
                errorCount: view?.state.errorCount ?? 0,
                progress: entry.flatMap { indexEngine.progress(of: $0.number) }
                    .map { MaintenanceProgress($0) })
        }
    }

    /// What is declared of an index: by its definition, else by what is stored of it.
    private static func declaration(
        _ name: String, _ stored: IndexState?, _ definition: IndexDefinition?
    ) throws -> IndexDeclaration? {
        let known = try definition ?? stored?.definition(named: name)
        guard let known, let declaration = known.declaration, let version = known.declaredVersion
        else { return nil }
        return IndexDeclaration(name: name, version: version, declaration)
    }

    /// Brings an index up to a sequence.
    func bringUpToDate(
        _ entry: IndexRegistry.Entry, to sequence: UInt64,
        report: (@Sendable (MaintenanceProgress) -> Void)? = nil
    ) async throws {
        guard !configuration.isReadOnly else {
            throw DatabaseError(
                .readOnly,
                "The index '\(entry.definition.name)' is behind the documents, and the database "
                    + "was opened for reading only; open it for writing once, or ask for what is "
                    + "there with the freshness 'stale'.")
        }
        try checkIsKept(entry)
        let index = registeredIndex(of: entry)
        var engineReport: IndexEngine.Report?
        if let report { engineReport = { report(MaintenanceProgress($0)) } }
        try await DatabaseError.translating { [engineReport] in
            try await indexEngine.bringUpToDate(index, to: sequence, report: engineReport)
        }
    }

    /// What the engine must know of an index.
    private func registeredIndex(of entry: IndexRegistry.Entry) -> RegisteredIndex {
        let indexes = indexes
        return RegisteredIndex(
            entry.definition, number: entry.number, isCurrent: { indexes.isCurrent(entry) },
            applied: { [weak observers] rows in
                observers?.applied(rows, to: entry.definition.name, of: entry.number)
            })
    }

    /// Builds in the background what has no rows of its present definition.
    func buildMissingIndexes() {
        guard !configuration.isReadOnly else { return }
        let entries = indexes.entries
        guard !entries.isEmpty else { return }
        // One after the other: each takes all cores.
        Task(priority: .utility) { [weak self] in
            for entry in entries {
                guard let self, (try? self.isBuilt(entry)) == false else { continue }
                // Whoever asks the index gets the failure; then the build is tried again.
                try? await self.bringUpToDate(entry, to: (try? self.lastSequence) ?? 0)
            }
        }
    }

    private func isBuilt(_ entry: IndexRegistry.Entry) throws -> Bool {
        try read { snapshot in
            let view = try IndexReader(
                of: entry.definition.name, fitting: entry.definition, in: snapshot.base)
            return view?.fits ?? false
        }
    }
}
