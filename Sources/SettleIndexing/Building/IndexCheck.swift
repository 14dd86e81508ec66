import SettleDocuments
import SettlePrimitives
package import SettleStorage

/// Looks at the tables of every index in one state and says what is not as it must be.
///
/// Runs, boundaries, counts, and stored reductions are made again from what is below them; rows and
/// back pointers are followed from both ends. A deep check also maps every document anew where the map is known,
/// because the index is declared or the application gave it, and compares the rows.
package struct IndexCheck: Sendable {
    private let definitions: [String: IndexDefinition]
    private let isDeep: Bool
    private let log: CheckLog

    /// A check of the indexes.
    ///
    /// - Parameters:
    ///   - definitions: The definitions that are known, by name.
    ///   - isDeep: Whether documents are mapped anew.
    ///   - log: Gets the findings.
    package init(definitions: [String: IndexDefinition], isDeep: Bool, _ log: CheckLog) {
        self.definitions = definitions
        self.isDeep = isDeep
        self.log = log
    }

    /// How many rows there are to look at, roughly.
    ///
    /// What is damaged counts for nothing here; the check finds it.
    ///
    /// - Throws: ``StorageError`` when the store cannot be read.
    package func rowCount(of snapshot: StoreSnapshot) throws -> Int {
        do {
            return try IndexState.names(in: snapshot).reduce(0) { count, name in
                try count + rowCount(of: name, in: snapshot)
            }
        } catch is IndexError {
            return 0
        }
    }

    private func rowCount(of name: String, in snapshot: StoreSnapshot) throws -> Int {
        do {
            let documentCount = isDeep ? snapshot.liveCount + snapshot.deletedCount : 0
            return try IndexState.states(of: name, in: snapshot).keys.reduce(0) { count, slot in
                let tables = try IndexTables(
                    findingIn: snapshot, index: name, slot: slot, reducer: nil)
                return try count + 2 * (tables?.rows.entryCount ?? 0) + documentCount
            }
        } catch is IndexError {
            return 0
        }
    }

    /// The pieces of the check, which add others when they run.
    ///
    /// - Parameter snapshot: The state.
    /// - Returns: The pieces to begin with.
    /// - Throws: What the engine throws when the store cannot be read at all.
    package func pieces(of snapshot: StoreSnapshot) throws -> [CheckPiece] {
        let names: [String]
        do {
            names = try IndexState.names(in: snapshot)
        } catch let error as IndexError {
            log.find("indexes", "They cannot be listed: \(error).")
            return []
        }
        var pieces: [CheckPiece] = []
        var used: Set<String> = []
        for name in names {
            do {
                for (slot, state) in try IndexState.states(of: name, in: snapshot) {
                    used.formUnion(IndexTables.names(index: name, slot: slot))
                    pieces += try self.pieces(of: name, slot, state, in: snapshot)
                }
            } catch  where error is IndexError || error is PackedError {
                // Its tables are not those of another index for that.
                for slot in IndexState.slots {
                    used.formUnion(IndexTables.names(index: name, slot: slot))
                }
                log.find("index '\(name)'", "It cannot be read: \(error).")
            }
        }
        try findStrays(in: snapshot, beside: used)
        return pieces
    }

    /// Finds rows in tables of indexes that are not there.
    private func findStrays(in snapshot: StoreSnapshot, beside used: Set<String>) throws {
        for name in try snapshot.tableNames()
        where name.hasPrefix(IndexTables.prefix) && !used.contains(name) {
            let count = try snapshot.table(named: name)?.count ?? 0
            if count > 0 {
                log.find("table '\(name)'", "It has \(count) rows and belongs to no index.")
            }
        }
    }

    private func pieces(
        of name: String, _ slot: Int, _ state: IndexState, in snapshot: StoreSnapshot
    ) throws -> [CheckPiece] {
        let place = "index '\(name)'"
        if state.sequence > snapshot.lastSequence {
            log.find(place, "It is ahead of the documents.")
        }
        let definition = try definition(of: name, state)
        let builtIn = ReducerKind(rawValue: state.reducer).map { IndexReducer.builtIn($0) }
        let slotCheck = IndexSlotCheck(
            name: name, slot: slot, state: state, reducer: definition?.reducer ?? builtIn, log)
        guard try slotCheck.tables(in: snapshot) != nil else {
            log.find(place, "Its tables are missing.")
            return []
        }
        var pieces = slotCheck.pieces
        if isDeep, let definition, state.build == nil, state.isWhole,
            state.sequence == snapshot.lastSequence
        {
            pieces.append(
                try IndexMapCheck(definition, slotCheck, in: snapshot, log).piece(in: snapshot))
        }
        return pieces
    }

    private func definition(of name: String, _ state: IndexState) throws -> IndexDefinition? {
        if let known = definitions[name], state.fits(known) { return known }
        // What a newer release has declared is not known here.
        guard let declared = try? state.definition(named: name), state.fits(declared) else {
            return nil
        }
        return declared
    }
}
