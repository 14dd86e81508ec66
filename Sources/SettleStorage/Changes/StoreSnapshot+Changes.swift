import SettleDocuments
import SettleLMDB

extension StoreSnapshot {
    /// Purges up to this sequence may be missing among the changes; 0 while all are listed.
    ///
    /// Who follows the changes and has come no further than this must begin anew.
    package var purgesForgotten: UInt64 { counters.purgesForgotten }

    /// Walks the changes after a sequence, each document once, at its last change.
    ///
    /// A document that was purged, and not made anew since, is among them; it has no record.
    ///
    /// - Parameters:
    ///   - sequence: Where to start; the change with this sequence is not included.
    ///   - body: Called with the sequence and the identifier, ascending; answers false to stop.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``, what `body` throws.
    package func forEachChange(
        since sequence: UInt64, _ body: (_ sequence: UInt64, _ id: String) throws -> Bool
    ) throws {
        guard sequence < lastSequence else { return }
        var purges = try tables.purges.purges(since: sequence, in: reader)[...]
        var start: [UInt8] = []
        start.append(fixed64: sequence)
        var goesOn = true
        try reader.forEach(in: tables.sequences, from: .excluding(start)) { key, value in
            var position = 0
            guard let number = key.fixed64(at: &position), key.count == 8,
                let id = String(validating: value.rest(from: 0), as: UTF8.self)
            else { throw StorageError.corrupted(place: "a row of table 'sequences'") }
            while goesOn, let purge = purges.first, purge.sequence < number {
                purges.removeFirst()
                goesOn = try pass(on: purge, to: body)
            }
            if goesOn { goesOn = try body(number, id) }
            return goesOn
        }
        while goesOn, let purge = purges.popFirst() { goesOn = try pass(on: purge, to: body) }
    }

    private func pass(
        on purge: (sequence: UInt64, id: String),
        to body: (_ sequence: UInt64, _ id: String) throws -> Bool
    ) throws -> Bool {
        // Made anew since: its last change is another one.
        if try reader.contains(Array(purge.id.utf8), in: tables.documents) { return true }
        return try body(purge.sequence, purge.id)
    }
}
