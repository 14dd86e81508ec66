import Settle
import SettleSync

/// How a device decides conflicts.
enum Judge: CaseIterable, Sendable {
    /// Leaves them all, to be settled later.
    case leave
    /// Leaves them all, but looks at each.
    case leaveAfterLooking
    case server, local, latest, merge
    /// One or the other, by the conflict.
    case mixed

    /// A handler that writes down what it decided; something else may happen before it says so.
    func handler(
        for device: SimulatedDevice, _ ledger: Ledger, _ journal: Journal,
        whileThinking: @escaping @Sendable () async -> Void = {}
    ) -> ConflictHandler {
        if self == .leave { return .leave }
        let (name, ownId) = (device.name, device.ownId)
        // With some every push goes operation by operation.
        let mayStop = self == .leaveAfterLooking || self == .mixed
        return ConflictHandler(mayStop: mayStop) { conflict in
            let resolution = await chosen(conflict)(conflict)
            if conflict.documentId == ownId {
                ledger.complain(
                    "\(name) has a conflict about '\(ownId)', which nobody else writes to.")
            }
            ledger.decided(conflict, resolution)
            let word = Self.word(resolution)
            journal.note("\(name) decides '\(conflict.documentId)': \(self) \(word)")
            await whileThinking()
            return resolution
        }
    }

    private func chosen(_ conflict: ReplicationConflict) -> ConflictHandler {
        switch self {
        case .leave, .leaveAfterLooking: return .leave
        case .server: return .serverWins
        case .local: return .localWins
        case .latest: return .latestWins
        case .merge: return .merge
        case .mixed:
            let members = (conflict.local?.json.count ?? 0) + (conflict.server?.json.count ?? 0)
            return [.serverWins, .localWins, .merge, .leave][members % 4]
        }
    }

    private static func word(_ resolution: ConflictResolution) -> String {
        switch resolution {
        case .useLocal: "ours"
        case .useServer: "theirs"
        case .use, .useAndAdd: "merged"
        case .leave: "left"
        case .stop: "stop"
        }
    }
}
