package import SettleStorage

/// The rows of an index that answer in one snapshot.
package struct IndexReader {
    /// The slot they are in.
    package let slot: Int
    /// The state of the slot.
    package let state: IndexState
    /// True when they are of the definition that was asked for.
    package let fits: Bool
    private let name: String
    private let snapshot: StoreSnapshot

    /// Finds the rows: those of a definition if there are any, else those of another.
    ///
    /// Gives nil when no rows are complete.
    ///
    /// - Parameters:
    ///   - name: The index.
    ///   - definition: The definition whose rows go first; nil when there is none here.
    ///   - snapshot: Where to read.
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    package init?(
        of name: String, fitting definition: IndexDefinition?, in snapshot: StoreSnapshot
    ) throws {
        guard let table = try IndexState.table(in: snapshot) else { return nil }
        var chosen: (slot: Int, state: IndexState, fits: Bool)?
        for slot in IndexState.slots {
            let state = try IndexState.state(
                of: name, slot: slot, from: table, remembering: definition?.memory)
            guard let state, state.build == nil else { continue }
            let fits = definition.map { state.fits($0) } ?? false
            if let other = chosen {
                guard other.fits == fits ? other.state.sequence < state.sequence : fits else {
                    continue
                }
            }
            chosen = (slot, state, fits)
        }
        guard let chosen else { return nil }
        (slot, state, fits) = chosen
        self.name = name
        self.snapshot = snapshot
    }

    /// True when the rows are those of the definition, as of that sequence or a later one.
    package func isCurrent(at sequence: UInt64) -> Bool {
        fits && state.isWhole && state.sequence >= sequence
    }

    /// The number of rows.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    package var rowCount: Int {
        get throws { try tables().rows.entryCount }
    }

    /// The documents that could not be mapped, by identifier.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    package func failures(limit: Int) throws -> [MapFailure] {
        var failures: [MapFailure] = []
        guard limit > 0 else { return [] }
        try MapFailureTable(tables().side).forEach { failure in
            failures.append(failure)
            return failures.count < limit
        }
        return failures
    }

    private func tables() throws -> IndexTables {
        let tables = try IndexTables(findingIn: snapshot, index: name, slot: slot, reducer: nil)
        guard let tables else {
            throw IndexError.corrupted(place: "the tables of index '\(name)'")
        }
        return tables
    }
}
