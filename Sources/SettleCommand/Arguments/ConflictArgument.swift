import ArgumentParser
import SettleSync

/// Who wins when a document was changed on both sides.
enum ConflictArgument: String, CaseIterable, ExpressibleByArgument {
    case local, server, latest, merge, leave

    /// What decides accordingly.
    var handler: ConflictHandler {
        switch self {
        case .local: .localWins
        case .server: .serverWins
        case .latest: .latestWins
        case .merge: .merge
        case .leave: .leave
        }
    }
}
