import Foundation
import TestSupport

/// How often children are killed, and from which seed everything random is taken.
///
/// `SETTLE_KILLS` is the number of kills among batches (20 without it); those while an index is
/// built or contents are stored are a fifth of it each. `SETTLE_SEED` is a seed that a failure named.
enum KillSettings {
    static let kills = number("SETTLE_KILLS").map(Int.init) ?? 20
    static let seed = number("SETTLE_SEED") ?? UInt64.random(in: 0..<UInt64(UInt32.max))
    /// Kills of the rarer kinds.
    static var someKills: Int { max(4, kills / 5) }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
