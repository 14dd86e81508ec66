import SettleDocuments
package import SettleStorage

/// Walks the tables of every index in one snapshot and says what is not as it must be.
///
/// Rows and back pointers are followed from both ends, rows are counted, and the documents they name
/// are looked up. Whether the rows are those that the map gives is not looked at: the maps are
/// closures of the application.
package struct IndexCheck {
    private let snapshot: StoreSnapshot
    private let report: (StoreFinding) -> Void
    private let advance: (Int) -> Void

    /// A check of one state of a store; `advance` is told how many rows more have been looked at.
    package init(
        of snapshot: StoreSnapshot, report: @escaping (StoreFinding) -> Void,
        advance: @escaping (Int) -> Void
    ) {
        self.snapshot = snapshot
        self.report = report
        self.advance = advance
    }

    /// How many rows there are to look at.
    ///
    /// - Throws: ``StorageError`` when the store cannot be read.
    package static func rowCount(of snapshot: StoreSnapshot) throws -> Int {
        try IndexState.names(in: snapshot).reduce(0) { count, name in
            guard let tables = try IndexTables(findingIn: snapshot, index: name) else {
                return count
            }
            return try count + tables.rowsTable.count + tables.pointers.count
        }
    }

    /// Looks at every index.
    ///
    /// - Throws: What the engine throws when the store cannot be read at all.
    package func run() throws {
        for name in try IndexState.names(in: snapshot) {
            do {
                try check(name)
            } catch  where error is IndexError || error is PackedError {
                report(StoreFinding("index '\(name)'", "It cannot be read: \(error)."))
            }
        }
    }

    private func check(_ name: String) throws {
        func find(_ problem: String) { report(StoreFinding("index '\(name)'", problem)) }
        guard let state = try IndexState(name: name, in: snapshot) else { return }
        if state.sequence > snapshot.lastSequence { find("It is ahead of the documents.") }
        guard let tables = try IndexTables(findingIn: snapshot, index: name) else {
            return find("Its tables are missing.")
        }
        var rowCount: Int64 = 0
        var strays = 0
        try tables.rows.forEach(from: nil, to: nil, isDescending: false) { key, value in
            advance(1)
            rowCount += 1
            guard let parts = RowKey.parts(of: key), Self.isSound(value) else {
                find("A row cannot be read.")
                return true
            }
            let pointers = try tables.pointers(of: parts.documentID, index: name)
            if !pointers.contains(key) { strays += 1 }
            return true
        }
        if rowCount != state.rowCount {
            find("It counts \(state.rowCount) rows, and there are \(rowCount).")
        }
        if strays > 0 { find("\(strays) rows have no back pointer.") }
        try checkPointers(name, state, tables, rowCount: rowCount, find)
    }

    private static func isSound(_ value: [UInt8]) -> Bool {
        guard let row = StoredRow(value) else { return false }
        do {
            try row.key.check()
            if let value = row.value { try value.check() }
            return true
        } catch {
            return false
        }
    }

    private func checkPointers(
        _ name: String, _ state: IndexState, _ tables: IndexTables, rowCount: Int64,
        _ find: (String) -> Void
    ) throws {
        var pointerCount: Int64 = 0
        try tables.pointers.forEach { key, _ in
            advance(1)
            guard let id = String(validating: key.rest(from: 0), as: UTF8.self) else {
                find("A back pointer cannot be read.")
                return true
            }
            pointerCount += Int64(try tables.pointers(of: id, index: name).count)
            // Behind the documents, an index may hold rows of some that are gone.
            if state.sequence == snapshot.lastSequence,
                try snapshot.withRow(of: key.rest(from: 0), { RecordHead($0)?.isDeleted }) != false
            {
                find("It has rows of the document '\(id)', which is not there.")
            }
            return true
        }
        if pointerCount != rowCount {
            find("It has \(pointerCount) back pointers for \(rowCount) rows.")
        }
    }
}
