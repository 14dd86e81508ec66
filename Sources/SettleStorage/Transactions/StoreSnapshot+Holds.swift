package import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// Members that somebody holds and that are a record's still.
package struct RecordHold: Sendable {
    /// The holder's own.
    package let note: [UInt8]
    /// The members, which are those of the record.
    package let body: PackedValue
}

extension StoreSnapshot {
    /// The table of holds; nil in a store of an older format.
    ///
    /// A store that was opened for reading only may be upgraded by another process afterwards.
    var holdTable: HoldTable? {
        get throws { try tables.holds ?? HoldTable(findingIn: reader) }
    }

    /// A hold on the members of a document as they are now.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - holder: The number of the holder.
    /// - Returns: The hold; nil when there is none, and when the document has changed since.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package func hold(on id: String, by holder: UInt32) throws -> RecordHold? {
        guard let holds = try holdTable else { return nil }
        return try withRow(of: Array(id.utf8)) { row in
            guard let head = RecordHead(row) else {
                throw StorageError.corrupted(place: "record of document '\(id)'")
            }
            guard head.isHeld,
                let note = try holds.note(at: head.sequence, of: holder, in: reader)
            else { return nil }
            return RecordHold(
                note: note, body: PackedValue(stored: row.rest(from: head.bodyStart)))
        } ?? nil
    }

    /// What a holder keeps with the members of a document that it holds as they are now, without them.
    ///
    /// - Throws: As ``hold(on:by:)``.
    package func holdNote(on id: String, by holder: UInt32) throws -> [UInt8]? {
        guard let holds = try holdTable else { return nil }
        return try withRow(of: Array(id.utf8)) { row in
            guard let head = RecordHead(row) else {
                throw StorageError.corrupted(place: "record of document '\(id)'")
            }
            return head.isHeld ? try holds.note(at: head.sequence, of: holder, in: reader) : nil
        } ?? nil
    }

    /// Walks the holds of one holder, in the order of the records' sequences.
    ///
    /// - Parameters:
    ///   - holder: The number of the holder.
    ///   - body: Called with the identifier and the hold; answers false to stop.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``, what `body` throws.
    /// - Complexity: Linear in the holds of all holders.
    package func forEachHold(
        by holder: UInt32, _ body: (_ id: String, _ hold: RecordHold) throws -> Bool
    ) throws {
        guard let holds = try holdTable else { return }
        try holds.forEach(in: reader) { sequence, owner, note in
            guard owner == holder else { return true }
            guard let key = try id(atSequence: sequence),
                let id = String(validating: key, as: UTF8.self),
                let members = try withRow(
                    of: key,
                    { row in
                        RecordHead(row).map { row.rest(from: $0.bodyStart) }
                    }) ?? nil
            else { throw StorageError.corrupted(place: "row \(sequence) of table 'holds'") }
            let hold = RecordHold(note: note.rest(from: 0), body: PackedValue(stored: members))
            return try body(id, hold)
        }
    }

    /// Walks the identifiers of the documents that one holder holds.
    ///
    /// As ``forEachHold(by:_:)``, without reading the records.
    package func forEachHeldId(
        by holder: UInt32, _ body: (_ id: String) throws -> Bool
    ) throws {
        guard let holds = try holdTable else { return }
        try holds.forEach(in: reader) { sequence, owner, _ in
            guard owner == holder else { return true }
            guard let key = try id(atSequence: sequence),
                let id = String(validating: key, as: UTF8.self)
            else { throw StorageError.corrupted(place: "row \(sequence) of table 'holds'") }
            return try body(id)
        }
    }
}
