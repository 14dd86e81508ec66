import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// Compares the table of sequences with the records.
struct SequenceCheck {
    private let snapshot: StoreSnapshot
    private let log: CheckLog

    init(_ snapshot: StoreSnapshot, _ log: CheckLog) {
        self.snapshot = snapshot
        self.log = log
    }

    /// Looks at a stretch of the sequences.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read; what ends the check.
    func run(over stretch: RowStretch) throws {
        let steps = log.steps()
        try stretch.forEachRow(in: snapshot) { key, value in
            try steps.advance()
            var position = 0
            let id = value.rest(from: 0)
            guard key.count == 8, let sequence = key.fixed64(at: &position), !id.isEmpty,
                id.count <= DocumentIdentifier.byteCountMax
            else { return log.find("sequences", "A row cannot be read.") }
            let found = try snapshot.reader.withValue(for: id, in: snapshot.tables.documents) {
                RecordHead($0)?.sequence
            }
            if found != .some(sequence) {
                log.find(
                    "sequences, \(sequence)",
                    "The document '\(String(decoding: id, as: UTF8.self))' is not at this sequence."
                )
            }
        }
        try steps.finish()
    }

    /// Compares how many rows the two tables have.
    func compareCounts() throws {
        let count = try snapshot.reader.count(of: snapshot.tables.sequences)
        let documents = try snapshot.reader.count(of: snapshot.tables.documents)
        if count != documents {
            log.find("sequences", "There are \(count) rows for \(documents) documents.")
        }
    }
}

/// Looks at the list of purges.
struct PurgeCheck {
    private let snapshot: StoreSnapshot
    private let log: CheckLog

    init(_ snapshot: StoreSnapshot, _ log: CheckLog) {
        self.snapshot = snapshot
        self.log = log
    }

    /// - Throws: ``LMDBError`` when the store cannot be read; what ends the check.
    func run() throws {
        let steps = log.steps()
        try snapshot.reader.forEach(in: snapshot.tables.purges.table) { key, value in
            try steps.advance()
            var position = 0
            guard key.count == 8, let sequence = key.fixed64(at: &position),
                String(validating: value.rest(from: 0), as: UTF8.self) != nil
            else {
                log.find("purges", "A row cannot be read.")
                return true
            }
            if sequence <= snapshot.purgesForgotten || sequence > snapshot.lastSequence {
                log.find("purges, \(sequence)", "The sequence is out of range.")
            }
            return true
        }
        try steps.finish()
    }
}
