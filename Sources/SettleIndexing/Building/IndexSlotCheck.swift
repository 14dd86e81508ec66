import SettleDocuments
import SettlePrimitives
import SettleStorage

/// Looks at the tables of one slot of an index.
struct IndexSlotCheck: Sendable {
    let state: IndexState
    private let name: String
    private let slot: Int
    private let reducer: IndexReducer?
    private let log: CheckLog

    init(name: String, slot: Int, state: IndexState, reducer: IndexReducer?, _ log: CheckLog) {
        self.name = name
        self.slot = slot
        self.state = state
        self.reducer = reducer
        self.log = log
    }

    func find(_ problem: String) { log.find("index '\(name)'", problem) }

    /// The tables; nil when one is missing.
    func tables(in snapshot: StoreSnapshot) throws -> IndexTables? {
        try IndexTables(findingIn: snapshot, index: name, slot: slot, reducer: reducer)
    }

    /// The pieces of the check.
    var pieces: [CheckPiece] {
        var pieces = [piece { _, tables, steps in try check(tables.side, steps) }]
        // The levels are made when all rows are there.
        if state.build.map({ $0.isMerged }) ?? true {
            pieces.append(
                piece { _, tables, steps in
                    try tables.rows.check(
                        checksReductions: reducer != nil, report: find,
                        advance: { try steps.advance(by: $0) })
                })
        }
        pieces.append(
            piece { _, tables, steps in
                try tables.documents.check(
                    checksReductions: false, report: find,
                    advance: { try steps.advance(by: $0) })
            })
        if state.build == nil {
            pieces.append(
                piece { snapshot, tables, steps in
                    let rowCount = try checkRows(of: tables, steps)
                    try checkPointers(of: tables, rowCount: rowCount, in: snapshot, steps)
                })
        }
        return pieces
    }

    /// A piece that finds an index that cannot be read, instead of ending the check.
    private func piece(
        _ body: @escaping @Sendable (StoreSnapshot, IndexTables, CheckSteps) throws -> Void
    ) -> CheckPiece {
        CheckPiece { snapshot, _ in
            let steps = log.steps()
            do {
                guard let tables = try tables(in: snapshot) else { return }
                try body(snapshot, tables, steps)
            } catch  where error is IndexError || error is PackedError {
                find("It cannot be read: \(error).")
            }
            try steps.finish()
        }
    }

    // MARK: Side table

    /// Looks at the documents that could not be mapped, and at the runs of a build.
    private func check(_ side: OrderedTable, _ steps: CheckSteps) throws {
        var failureCount = 0
        try MapFailureTable(side).forEach { _ in
            try steps.advance()
            failureCount += 1
            return true
        }
        if failureCount != state.errorCount {
            find("It counts \(state.errorCount) errors, and lists \(failureCount).")
        }
        let runs = try SortedRunTable(side).check { try steps.advance() }
        if runs.damagedCount > 0 { find("\(runs.damagedCount) rows of its runs cannot be read.") }
        if state.build == nil, runs.blockCount > 0 {
            find("It has \(runs.blockCount) blocks of runs, and no build that they are of.")
        }
        let count = try side.count
        if count != failureCount + runs.blockCount + runs.damagedCount {
            find("Its side table has rows that are neither errors nor runs.")
        }
    }

    // MARK: Rows and back pointers

    private var encoder: KeyEncoder {
        KeyEncoder(state.collation.hasSuffix("raw") ? .raw : .unicode)
    }

    /// Answers how many rows there are.
    private func checkRows(of tables: IndexTables, _ steps: CheckSteps) throws -> Int {
        var rowCount = 0
        var damaged = 0
        var strays = 0
        var disorder = 0
        var last: [UInt8] = []
        let encoder = encoder
        var pointers: (id: [UInt8], keys: Set<[UInt8]>) = ([], [])
        try tables.rows.forEach(from: nil, to: nil, isDescending: false) { key, head, tail in
            try steps.advance()
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
        of tables: IndexTables, rowCount: Int, in snapshot: StoreSnapshot, _ steps: CheckSteps
    ) throws {
        let encoder = encoder
        var pointerCount = 0
        try tables.documents.forEach(from: nil, to: nil, isDescending: false) { key, head, tail in
            try steps.advance()
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
}
