import SettleDocuments
import SettlePrimitives
import SettleStorage
import Synchronization

/// Maps every document anew and compares the rows of an index with what comes out, on all threads of a check.
final class IndexMapCheck: Sendable {
    private let definition: IndexDefinition
    private let slot: IndexSlotCheck
    private let crashed: PoisonDocuments
    private let log: CheckLog
    private let found = Lock(Found())

    private struct Found {
        var differentCount = 0
        var failureCount = 0
    }

    init(
        _ definition: IndexDefinition, _ slot: IndexSlotCheck, in snapshot: StoreSnapshot,
        _ log: CheckLog
    ) throws {
        self.definition = definition
        self.slot = slot
        self.log = log
        var crashed = PoisonDocuments()
        try crashed.add(of: definition, in: snapshot)
        self.crashed = crashed
    }

    /// The piece that the comparison begins with.
    func piece(in snapshot: StoreSnapshot) -> CheckPiece {
        RowStretches(ofDocumentsIn: snapshot) { [self] snapshot, stretch in
            do {
                try compare(stretch, in: snapshot)
            } catch  where error is IndexError || error is PackedError {
                slot.find("It cannot be read: \(error).")
            }
        } onEnd: { [self] _, _ in
            conclude()
        }.piece
    }

    private func compare(_ stretch: RowStretch, in snapshot: StoreSnapshot) throws {
        guard let tables = try slot.tables(in: snapshot) else { return }
        let steps = log.steps()
        var mapper = DocumentMapper(definition, crashed: crashed, guardSlot: nil)
        var failureCount = 0
        var differentCount = 0
        try stretch.forEachRow(in: snapshot) { id, record in
            try steps.advance()
            if try mapper.map(id: id, record: record) != nil { failureCount += 1 }
            let fresh = mapper.collector.rowsOfSoleDocument()
            let pointer = try tables.documents.entry(for: id.rest(from: 0))
            var isEqual = pointer == fresh.pointer
            for row in fresh.rows where isEqual {
                isEqual = try tables.rows.entry(for: row.key) == row
            }
            if !isEqual { differentCount += 1 }
        }
        found.withLock { found in
            found.differentCount += differentCount
            found.failureCount += failureCount
        }
        try steps.finish()
    }

    private func conclude() {
        let found = found.withLock { $0 }
        if found.differentCount > 0 {
            slot.find(
                "The rows of \(found.differentCount) documents are not those that its map gives; "
                    + "remove the index and add it again, and give it a new version when the map "
                    + "has changed.")
        }
        if found.failureCount != slot.state.errorCount {
            slot.find(
                "It lists \(slot.state.errorCount) errors, and its map has \(found.failureCount).")
        }
    }
}
