import SettlePrimitives
import SettleStorage

/// The pieces of a check that look at the tables which the layers above the store keep, but for indexes.
struct SideTablePieces {
    let database: Database
    let log: CheckLog

    /// How many rows there are to look at.
    func rowCount(of snapshot: StoreSnapshot) throws -> Int {
        try names(in: snapshot).reduce(0) { try $0 + (snapshot.table(named: $1)?.count ?? 0) }
    }

    private func names(in snapshot: StoreSnapshot) throws -> [String] {
        try snapshot.tableNames().filter { $0.hasPrefix(SideTable.prefix) }
    }

    /// A piece for each check that was added, and one for each table that none looks at.
    func pieces(of snapshot: StoreSnapshot) throws -> [CheckPiece] {
        let checks = database.sideTableChecks.all
        let known = Set(checks.flatMap(\.tables).map { SideTable.prefix + $0 })
        let (database, log) = (database, log)
        var pieces = checks.map { check in
            CheckPiece { snapshot, _ in
                let report = SideTableReport(log)
                try check.body(Snapshot(snapshot, of: database), report)
                try report.finish()
            }
        }
        for name in try names(in: snapshot) where !known.contains(name) {
            pieces.append(CheckPiece { snapshot, _ in try Self.read(name, in: snapshot, log) })
        }
        return pieces
    }

    /// Reads the rows of a table whose meaning is not known.
    private static func read(
        _ name: String, in snapshot: StoreSnapshot, _ log: CheckLog
    ) throws {
        let steps = log.steps()
        var longCount = 0
        try snapshot.table(named: name)?.forEach { key, _ in
            try steps.advance()
            if key.count > SideTable.keyLengthMax { longCount += 1 }
            return true
        }
        if longCount > 0 {
            log.find(
                "side table '\(name.dropFirst(SideTable.prefix.count))'",
                "\(longCount) of its keys are longer than a key may be.")
        }
        try steps.finish()
    }
}
