import SettleLMDB
import SettlePrimitives

/// Compares the holds with the records that they are of.
struct HoldCheck {
    let snapshot: StoreSnapshot

    init(of snapshot: StoreSnapshot) {
        self.snapshot = snapshot
    }

    /// Looks at every hold.
    ///
    /// A record that says that it may be held and is not is sound: the hold was ended.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    func run(report: (StoreFinding) -> Void, advance: (Int) -> Void) throws {
        guard let holds = try snapshot.holdTable else { return }
        let displaced = try snapshot.reader.table(named: StoreTables.displacedName)
        try snapshot.reader.forEach(in: holds.table) { key, _ in
            advance(1)
            guard let (sequence, holder) = HoldTable.parse(key) else {
                report(StoreFinding("holds", "A key cannot be read."))
                return true
            }
            let place = "holds, \(sequence)"
            guard let id = try snapshot.id(atSequence: sequence) else {
                report(StoreFinding(place, "No document is at this sequence."))
                return true
            }
            let isSound = try snapshot.withRow(of: id) { row in
                RecordHead(row).map { $0.isHeld && !$0.isDeleted && $0.sequence == sequence }
            }
            if isSound != .some(true) {
                report(StoreFinding(place, "The record does not say that it is held."))
            }
            let displacedKey = StoreTables.displacedKey(holder, id)
            if let displaced, try snapshot.reader.contains(displacedKey, in: displaced) {
                report(StoreFinding(place, "The holder \(holder) has other members as well."))
            }
            return true
        }
    }
}
