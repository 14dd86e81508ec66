import SettleLMDB
import SettlePrimitives

/// Compares what was counted in the records with what is stored of it: the counters, and the dates at
/// which documents are purged.
struct CounterCheck {
    private let snapshot: StoreSnapshot
    private let totals: DocumentTotals
    private let log: CheckLog

    init(_ snapshot: StoreSnapshot, _ totals: DocumentTotals, _ log: CheckLog) {
        self.snapshot = snapshot
        self.totals = totals
        self.log = log
    }

    /// - Throws: ``LMDBError`` when the store cannot be read; what ends the check.
    func run() throws {
        for (name, counted, stored) in [
            ("documents", totals.liveCount, snapshot.liveCount),
            ("tombstones", totals.deletedCount, snapshot.deletedCount),
        ] where counted != stored {
            log.find("meta", "It counts \(stored) \(name), and there are \(counted).")
        }
        try checkExpirations()
    }

    private func checkExpirations() throws {
        let steps = log.steps()
        var count = 0
        do {
            try snapshot.tables.expirations.forEach(in: snapshot.reader) { date, id in
                try steps.advance()
                count += 1
                let row = try snapshot.withRow(of: Array(id.utf8)) { RecordHead($0)?.expiration }
                if row != .some(date) {
                    log.find("expirations", "The document '\(id)' has another date, or none.")
                }
                return true
            }
        } catch is StorageError {
            log.find("expirations", "A key cannot be read.")
        }
        if count != totals.expirationCount {
            log.find(
                "expirations",
                "There are \(count) rows for \(totals.expirationCount) documents.")
        }
        try steps.finish()
    }
}
