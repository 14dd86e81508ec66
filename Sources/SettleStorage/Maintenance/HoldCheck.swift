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
    /// - Throws: ``LMDBError`` when the store cannot be read; what ends the check.
    func run(_ log: CheckLog) throws {
        let steps = log.steps()
        guard let holds = try snapshot.holdTable else { return }
        let displaced = try snapshot.reader.table(named: StoreTables.displacedName)
        try snapshot.reader.forEach(in: holds.table) { key, _ in
            try steps.advance()
            guard let (sequence, holder) = HoldTable.parse(key) else {
                log.find("holds", "A key cannot be read.")
                return true
            }
            let place = "holds, \(sequence)"
            guard let id = try snapshot.id(atSequence: sequence) else {
                log.find(place, "No document is at this sequence.")
                return true
            }
            let isSound = try snapshot.withRow(of: id) { row in
                RecordHead(row).map { $0.isHeld && !$0.isDeleted && $0.sequence == sequence }
            }
            if isSound != .some(true) {
                log.find(place, "The record does not say that it is held.")
            }
            let displacedKey = StoreTables.displacedKey(holder, id)
            if let displaced, try snapshot.reader.contains(displacedKey, in: displaced) {
                log.find(place, "The holder \(holder) has other members as well.")
            }
            return true
        }
        try steps.finish()
    }
}
