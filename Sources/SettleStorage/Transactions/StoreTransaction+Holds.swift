package import SettleDocuments
import SettleLMDB
import SettlePrimitives

// A hold lasts until the record is replaced. What the holder needs then goes, with the members, to a
// table of the holder's own: whoever replaces a record does that, whether or not the holder is there.

extension StoreTransaction {
    /// Holds the members of a document: they are kept for the holder when the document changes.
    ///
    /// - Parameters:
    ///   - body: The members that the holder needs.
    ///   - id: The document.
    ///   - holder: The number of the holder.
    ///   - note: What the holder keeps with them, until the next call.
    /// - Returns: False when the document is not there, or has other members; nothing is held then.
    /// - Throws: ``StorageError/corrupted(place:)``; ``LMDBError`` when the engine cannot.
    package func hold(
        _ body: PackedValue, of id: String, by holder: UInt32, note: [UInt8]
    ) throws -> Bool {
        let key = Array(id.utf8)
        let found = try withRow(of: key) { row -> (sequence: UInt64, unflagged: [UInt8]?)? in
            guard let head = RecordHead(row) else {
                throw StorageError.corrupted(place: "record of document '\(id)'")
            }
            guard !head.isDeleted, row.count - head.bodyStart == body.bytes.count,
                row.extracting(head.bodyStart..<row.count).isSame(as: body.bytes.span)
            else { return nil }
            return (head.sequence, head.isHeld ? nil : RecordHead.held(row))
        }
        guard case .some(.some(let record)) = found else { return false }
        if let row = record.unflagged { try writer.put(row, for: key, in: tables.documents) }
        try writer.put(
            note, for: HoldTable.key(record.sequence, holder), in: writtenHolds.table)
        return true
    }

    /// Holds the members of a record that was just stored to be held.
    package func hold(_ record: DocumentRecord, by holder: UInt32, note: [UInt8]) throws {
        precondition(record.isHeld, "A record that is held says so.")
        try writer.put(
            note, for: HoldTable.key(record.sequence, holder), in: writtenHolds.table)
    }

    /// Ends a hold on the members of a document as they are now; none there is nothing to end.
    ///
    /// - Throws: ``StorageError/corrupted(place:)``; ``LMDBError`` when the engine cannot.
    package func endHold(on id: String, by holder: UInt32) throws {
        let sequence = try withRow(of: Array(id.utf8)) { row -> UInt64? in
            guard let head = RecordHead(row) else {
                throw StorageError.corrupted(place: "record of document '\(id)'")
            }
            return head.isHeld ? head.sequence : nil
        }
        guard case .some(.some(let sequence)) = sequence else { return }
        try writer.delete(HoldTable.key(sequence, holder), from: writtenHolds.table)
    }

    /// Moves the holds of a record that is about to be replaced, with its members, to where the holder
    /// finds them (``StoreTables/displacedName``).
    func displaceHolds(of record: DocumentRecord, key: [UInt8]) throws {
        guard record.isHeld else { return }
        let holds = writtenHolds
        let notes = try holds.notes(at: record.sequence, in: reader)
        guard !notes.isEmpty else { return }
        let displaced = try writer.createTable(named: StoreTables.displacedName)
        for (holder, note) in notes {
            try writer.delete(HoldTable.key(record.sequence, holder), from: holds.table)
            try writer.put(
                count: note.count + record.body.bytes.count,
                for: StoreTables.displacedKey(holder, key), in: displaced
            ) { row in
                row.append(copying: note.span)
                row.append(copying: record.body.bytes.span)
            }
        }
    }

    private var writtenHolds: HoldTable {
        guard let holds = tables.holds else {
            preconditionFailure("A store that is written has this release's format.")
        }
        return holds
    }
}
