import SettleDocuments
import SettleLMDB
import SettlePrimitives
import Synchronization

/// Looks at every table of a store in one state and says what is not as it must be.
///
/// Every row is read, every number is counted again, every pointer is followed from both ends, every
/// revision and every digest of content is worked out anew. Nothing is changed. Tables of the layers
/// above are only told from those that belong to nothing.
package struct StoreCheck: Sendable {
    private let log: CheckLog

    /// A check that notes its findings in a log.
    package init(_ log: CheckLog) {
        self.log = log
    }

    /// How many rows there are to look at.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package static func rowCount(of snapshot: StoreSnapshot) throws -> Int {
        let tables = snapshot.tables
        return try [
            tables.meta, tables.documents, tables.sequences, tables.purges.table,
            tables.expirations.table, tables.contents.contents, tables.contents.chunks,
            tables.contents.uploads, try snapshot.holdTable?.table,
            try snapshot.treeTables?.trees, try snapshot.treeTables?.leaves,
            try snapshot.treeTables?.conflicts,
        ].reduce(0) { try $0 + ($1.map { try snapshot.reader.count(of: $0) } ?? 0) }
    }

    /// The pieces of the check, which add others when they run.
    ///
    /// - Parameter snapshot: The state.
    /// - Returns: The pieces to begin with.
    /// - Throws: ``LMDBError`` when the store cannot be read at all.
    package func pieces(of snapshot: StoreSnapshot) throws -> [CheckPiece] {
        let totals = Lock(DocumentTotals())
        let log = log
        let documents = RowStretches(of: snapshot.tables.documents) { snapshot, stretch in
            var check = DocumentCheck(of: snapshot, log)
            try check.run(over: stretch)
            totals.withLock { $0.add(check.totals) }
        } onEnd: { _, queue in
            let all = totals.withLock { $0 }
            queue.add(CheckPiece { snapshot, _ in try CounterCheck(snapshot, all, log).run() })
            queue.add(
                CheckPiece { snapshot, queue in
                    var contents = ContentCheck(of: snapshot, references: all.references, log)
                    try contents.run(adding: queue)
                })
        }
        let sequences = RowStretches(of: snapshot.tables.sequences) { snapshot, stretch in
            try SequenceCheck(snapshot, log).run(over: stretch)
        }
        return [
            documents.piece, sequences.piece,
            CheckPiece { snapshot, _ in try SequenceCheck(snapshot, log).compareCounts() },
            CheckPiece { snapshot, _ in try HoldCheck(of: snapshot).run(log) },
            CheckPiece { snapshot, _ in try PurgeCheck(snapshot, log).run() },
            CheckPiece { snapshot, _ in try TreeCheck.findStrays(in: snapshot, log) },
            CheckPiece { snapshot, _ in try MetaCheck(snapshot, log).run() },
        ]
    }
}

/// What is counted in the records.
struct DocumentTotals: Sendable {
    /// The contents that records name, and how often.
    var references: [ContentDigest: Int] = [:]
    var liveCount = 0
    var deletedCount = 0
    var expirationCount = 0

    mutating func add(_ other: DocumentTotals) {
        references.merge(other.references) { $0 + $1 }
        liveCount += other.liveCount
        deletedCount += other.deletedCount
        expirationCount += other.expirationCount
    }
}
