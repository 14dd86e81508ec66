import SettleIndexing
import SettleStorage

// Declared indexes live by the file: this process knows those that it finds there, and other processes may add,
// replace and remove them.

extension Database {
    /// The declared indexes that the database keeps, by name.
    ///
    /// They are known again whenever the database is opened, without any code of the application.
    ///
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read.
    public func storedIndexes() throws -> [IndexDeclaration] {
        try indexStatuses().compactMap(\.declaration)
    }

    /// Gives the database a declared index and builds it, as ``addIndex(_:progress:)`` does; from then
    /// on it is what the database keeps under its name, as after the next opening.
    ///
    /// So when another process replaces or removes it, that is followed, and it does not come back.
    ///
    /// - Throws: As ``addIndex(_:progress:)``.
    package func addStoredIndex(_ declaration: IndexDeclaration) async throws {
        try await addIndex(declaration.index)
        let (name, version) = (declaration.name, declaration.view.version)
        guard let entry = indexes.entryIfThere(named: name), entry.definition.version == version
        else { return }
        let versions = Set(try storedStates(of: name).map(\.version))
        guard versions.contains(version) else { return }
        indexes.markStored(entry, passingOver: versions.subtracting([version]))
    }

    /// The index of a name that is to be asked now.
    ///
    /// One that is only known by its stored declaration is what the database keeps by now: another
    /// process may have put another in its place.
    ///
    /// - Throws: ``DatabaseError`` with `indexNotFound`; when the database cannot be read.
    func currentEntry(named name: String) throws -> IndexRegistry.Entry {
        let entry = try knownEntry(named: name)
        guard entry.isStored else { return entry }
        let states = try storedStates(of: name)
        guard
            let stored = StoredIndex(
                replacing: entry.definition, passedOver: entry.passedOver, states)
        else { return entry }
        indexes.replace(entry, with: stored)
        return try indexes.entry(named: name)
    }

    /// The index of a name, be it one that another process has declared since this one opened the
    /// database.
    ///
    /// - Throws: ``DatabaseError`` with `indexNotFound`, also when what is stored of it cannot be read.
    /// - Complexity: Nothing is read for an index that is known.
    func knownEntry(named name: String) throws(DatabaseError) -> IndexRegistry.Entry {
        if let entry = indexes.entryIfThere(named: name) { return entry }
        let removals = indexes.removals(of: name)
        if let states = try? storedStates(of: name),
            let stored = StoredIndex(named: name, states)
        {
            indexes.addStored(stored, unlessRemovedSince: removals)
        }
        return try indexes.entry(named: name)
    }

    /// Takes over which indexes other processes have declared, and forgets those that they removed.
    func followOtherProcesses() throws {
        let known = indexes.entries
        let kept = try read { snapshot in
            try DatabaseError.translating { Set(try IndexState.names(in: snapshot.base)) }
        }
        for entry in known where entry.isStored && !kept.contains(entry.definition.name) {
            indexes.forget(entry)
        }
        // One by code stays unknown.
        for name in kept { _ = try? knownEntry(named: name) }
    }

    /// Forgets an index that was known by its stored declaration and that another process removed.
    func checkIsKept(_ entry: IndexRegistry.Entry) throws {
        guard entry.isStored else { return }
        let name = entry.definition.name
        if try !storedStates(of: name).isEmpty { return }
        indexes.forget(entry)
        throw DatabaseError(
            .indexNotFound, "The index '\(name)' was removed by another process; add it again.")
    }

    private func storedStates(of name: String) throws -> [IndexState] {
        try read { snapshot in
            try DatabaseError.translating {
                Array(try IndexState.states(of: name, in: snapshot.base).values)
            }
        }
    }

    /// The declared indexes that the database keeps.
    ///
    /// One that cannot be read is passed over: a damaged index must not keep the documents from
    /// being read, and `check` finds it.
    func storedDefinitions() throws -> [StoredIndex] {
        try read { snapshot in
            let names = (try? IndexState.names(in: snapshot.base)) ?? []
            return names.compactMap { name in
                let states = (try? IndexState.states(of: name, in: snapshot.base)) ?? [:]
                return StoredIndex(named: name, states.values)
            }
        }
    }
}
