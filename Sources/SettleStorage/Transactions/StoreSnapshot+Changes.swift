import SettleDocuments
import SettleLMDB
import SettlePrimitives

extension StoreSnapshot {
    /// Purges up to this sequence may be missing among the changes; 0 while all are listed.
    ///
    /// Who follows the changes and has come no further than this must begin anew.
    package var purgesForgotten: UInt64 { counters.purgesForgotten }

    /// Walks the changes after a sequence, each document once, at its last change.
    ///
    /// A document that was purged, and not made anew since, is among them; it has no record. Costs
    /// a row for each change that is walked, and the list of the later purges once, when the walk
    /// comes to the first of them.
    ///
    /// - Parameters:
    ///   - sequence: Where to start; the change with this sequence is not included.
    ///   - body: Called with the sequence and the identifier, ascending; answers false to stop.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``, what `body` throws.
    package func forEachChange(
        since sequence: UInt64, _ body: (_ sequence: UInt64, _ id: String) throws -> Bool
    ) throws {
        guard sequence < lastSequence else { return }
        var start: [UInt8] = []
        start.append(fixed64: sequence)
        var purges = try UpcomingPurges(tables.purges, since: sequence, in: reader)
        var goesOn = true
        try reader.forEach(in: tables.sequences, from: .excluding(start)) { key, value in
            var position = 0
            guard let number = key.fixed64(at: &position), key.count == 8,
                let id = String(validating: value.rest(from: 0), as: UTF8.self)
            else { throw StorageError.corrupted(place: "a row of table 'sequences'") }
            while goesOn, let purge = try purges.next(before: number, in: reader) {
                goesOn = try pass(on: purge, to: body)
            }
            if goesOn { goesOn = try body(number, id) }
            return goesOn
        }
        while goesOn, let purge = try purges.next(before: .max, in: reader) {
            goesOn = try pass(on: purge, to: body)
        }
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

/// The purges that a walk of the changes has not passed yet.
///
/// They are read when the walk comes to the first, because a walk is often a short one and the
/// list may be long.
private struct UpcomingPurges {
    private let table: PurgeTable
    private let start: UInt64
    /// Where the first of them stands; nil for none.
    private let first: UInt64?
    private var list: ArraySlice<(sequence: UInt64, id: String)>?

    init(_ table: PurgeTable, since sequence: UInt64, in reader: ReadTransaction) throws {
        self.table = table
        start = sequence
        var key: [UInt8] = []
        key.append(fixed64: sequence)
        var first: UInt64?
        try reader.forEach(in: table.table, from: .excluding(key)) { key, _ in
            var position = 0
            first = key.fixed64(at: &position)
            return false
        }
        self.first = first
    }

    /// Takes the next purge out, if it stands before a sequence.
    mutating func next(
        before sequence: UInt64, in reader: ReadTransaction
    ) throws -> (sequence: UInt64, id: String)? {
        guard let first, first < sequence else { return nil }
        if list == nil { list = try table.purges(since: start, in: reader)[...] }
        guard let next = list?.first, next.sequence < sequence else { return nil }
        return list?.popFirst()
    }
}
