import SettleDocuments
import SettlePrimitives
package import SettleStorage

/// Walks the tables of every index in one snapshot and says what is not as it must be.
///
/// Runs, boundaries, counts, and stored reductions are made again from what is below them; rows and
/// back pointers are followed from both ends. Where the map is known, because the index is declared
/// or the application gave it, every document is mapped anew and its rows are compared.
package struct IndexCheck {
    private let snapshot: StoreSnapshot
    private let definitions: [String: IndexDefinition]
    private let report: (StoreFinding) -> Void
    private let advance: (Int) -> Void

    /// A check of one state of a store.
    ///
    /// - Parameters:
    ///   - snapshot: The state.
    ///   - definitions: The definitions that are known, by name.
    ///   - report: Called with each finding.
    ///   - advance: Called with how many rows more have been looked at.
    package init(
        of snapshot: StoreSnapshot, definitions: [String: IndexDefinition],
        report: @escaping (StoreFinding) -> Void, advance: @escaping (Int) -> Void
    ) {
        self.snapshot = snapshot
        self.definitions = definitions
        self.report = report
        self.advance = advance
    }

    /// How many rows there are to look at, roughly.
    ///
    /// What is damaged counts for nothing here; ``run()`` finds it.
    ///
    /// - Throws: ``StorageError`` when the store cannot be read.
    package static func rowCount(of snapshot: StoreSnapshot) throws -> Int {
        do {
            return try IndexState.names(in: snapshot).reduce(0) { count, name in
                try count + rowCount(of: name, in: snapshot)
            }
        } catch is IndexError {
            return 0
        }
    }

    private static func rowCount(of name: String, in snapshot: StoreSnapshot) throws -> Int {
        do {
            return try IndexState.states(of: name, in: snapshot).keys.reduce(0) { count, slot in
                let tables = try IndexTables(
                    findingIn: snapshot, index: name, slot: slot, reducer: nil)
                return try count + 2 * (tables?.rows.entryCount ?? 0) + snapshot.liveCount
            }
        } catch is IndexError {
            return 0
        }
    }

    /// Looks at every index.
    ///
    /// - Throws: What the engine throws when the store cannot be read at all.
    package func run() throws {
        let names: [String]
        do {
            names = try IndexState.names(in: snapshot)
        } catch let error as IndexError {
            return report(StoreFinding("indexes", "They cannot be listed: \(error)."))
        }
        for name in names {
            do {
                for (slot, state) in try IndexState.states(of: name, in: snapshot) {
                    try check(name, slot, state)
                }
            } catch  where error is IndexError || error is PackedError {
                report(StoreFinding("index '\(name)'", "It cannot be read: \(error)."))
            }
        }
    }

    private func check(_ name: String, _ slot: Int, _ state: IndexState) throws {
        func find(_ problem: String) { report(StoreFinding("index '\(name)'", problem)) }
        if state.sequence > snapshot.lastSequence { find("It is ahead of the documents.") }
        let definition = try definition(of: name, state)
        let builtIn = ReducerKind(rawValue: state.reducer).map { IndexReducer.builtIn($0) }
        let reducer = definition?.reducer ?? builtIn
        guard
            let tables = try IndexTables(
                findingIn: snapshot, index: name, slot: slot, reducer: reducer)
        else { return find("Its tables are missing.") }
        // The levels are made when all rows are there.
        if state.build.map({ $0.isMerged }) ?? true {
            try tables.rows.check(
                checksReductions: reducer != nil, report: find, advance: advance)
        }
        try tables.documents.check(checksReductions: false, report: find, advance: advance)
        guard state.build == nil else { return }
        let rowCount = try checkRows(of: tables, state, find)
        try checkPointers(of: tables, state, rowCount: rowCount, find)
        if let definition, state.isWhole, state.sequence == snapshot.lastSequence {
            try checkMap(definition, tables, state, find)
        }
    }

    private func definition(of name: String, _ state: IndexState) throws -> IndexDefinition? {
        if let known = definitions[name], state.fits(known) { return known }
        // What a newer release has declared is not known here.
        guard let declared = try? state.definition(named: name), state.fits(declared) else {
            return nil
        }
        return declared
    }

    /// Answers how many rows there are.
    private func checkRows(
        of tables: IndexTables, _ state: IndexState, _ find: (String) -> Void
    ) throws -> Int {
        var rowCount = 0
        var damaged = 0
        var strays = 0
        var disorder = 0
        var last: [UInt8] = []
        let encoder = KeyEncoder(state.collation.hasSuffix("raw") ? .raw : .unicode)
        var pointers: (id: [UInt8], keys: Set<[UInt8]>) = ([], [])
        try tables.rows.forEach(from: nil, to: nil, isDescending: false) { key, head, tail in
            advance(1)
            rowCount += 1
            let bytes = key.rest(from: 0)
            if rowCount > 1, !last.lexicographicallyPrecedes(bytes) { disorder += 1 }
            last = bytes
            guard let parts = IndexRowKey.parts(of: key), Self.isSound(head, tail) else {
                damaged += 1
                return true
            }
            let id = Array(bytes[parts.id])
            if pointers.id != id {
                let entry = try tables.documents.entry(for: id)
                let keys = try entry.map {
                    try IndexRowKey.keys(
                        ofPointer: $0.head.span, tail: $0.tail.span, id: id.span,
                        encoder: encoder)
                }
                pointers = (id, Set(keys ?? []))
            }
            if !pointers.keys.contains(bytes) { strays += 1 }
            return true
        }
        if disorder > 0 { find("\(disorder) of its rows are out of order.") }
        if damaged > 0 { find("\(damaged) rows cannot be read.") }
        if strays > 0 { find("\(strays) rows have no back pointer.") }
        return rowCount
    }

    private static func isSound(_ head: Span<UInt8>, _ tail: Span<UInt8>) -> Bool {
        do {
            try PackedView(head).check()
            if !tail.isEmpty { try PackedView(tail).check() }
            return true
        } catch {
            return false
        }
    }

    private func checkPointers(
        of tables: IndexTables, _ state: IndexState, rowCount: Int, _ find: (String) -> Void
    ) throws {
        let encoder = KeyEncoder(state.collation.hasSuffix("raw") ? .raw : .unicode)
        var pointerCount = 0
        try tables.documents.forEach(from: nil, to: nil, isDescending: false) { key, head, tail in
            advance(1)
            let id = key.rest(from: 0)
            pointerCount += try IndexRowKey.keys(
                ofPointer: head, tail: tail, id: key, encoder: encoder
            ).count
            // Behind the documents, an index may hold rows of some that are gone.
            if state.sequence == snapshot.lastSequence,
                try snapshot.withRow(of: id, { RecordHead($0)?.isDeleted }) != false
            {
                let name = String(decoding: id, as: UTF8.self)
                find("It has rows of the document '\(name)', which is not there.")
            }
            return true
        }
        if pointerCount != rowCount {
            find("It has \(pointerCount) back pointers for \(rowCount) rows.")
        }
    }

    /// Maps every document anew.
    private func checkMap(
        _ definition: IndexDefinition, _ tables: IndexTables, _ state: IndexState,
        _ find: (String) -> Void
    ) throws {
        var crashed = PoisonDocuments()
        try crashed.add(of: definition, in: snapshot)
        var mapper = DocumentMapper(definition, crashed: crashed, guardSlot: nil)
        var failureCount = 0
        var different = 0
        try snapshot.forEachRow { id, record in
            advance(1)
            if try mapper.map(id: id, record: record) != nil { failureCount += 1 }
            let fresh = mapper.collector.rowsOfSoleDocument()
            let pointer = try tables.documents.entry(for: id.rest(from: 0))
            var isEqual = pointer == fresh.pointer
            for row in fresh.rows where isEqual {
                isEqual = try tables.rows.entry(for: row.key) == row
            }
            if !isEqual { different += 1 }
            return true
        }
        if different > 0 {
            find(
                "The rows of \(different) documents are not those that its map gives; remove the "
                    + "index and add it again, and give it a new version when the map has changed.")
        }
        if failureCount != state.errorCount {
            find("It lists \(state.errorCount) errors, and its map has \(failureCount).")
        }
    }
}
