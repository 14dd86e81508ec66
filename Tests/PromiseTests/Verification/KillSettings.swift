import Foundation
import TestSupport

/// How often children are killed, and from which seed everything random is taken.
///
/// `SETTLE_KILLS` is the number of kills among batches (120 without it). Those while one or two processes do all
/// kinds of things are a quarter of it each, those while an index is built or operations are carried out a tenth,
/// those while large contents are stored, or a server is replicated with, a thirtieth: some 200, and 10,000 with 6,000. `SETTLE_SEED` is a seed that a
/// failure named.
enum KillSettings {
    static let kills = number("SETTLE_KILLS").map(Int.init) ?? 120
    /// Kills while all kinds of things are done.
    static var mixedKills: Int { max(4, kills / 4) }
    /// Kills of the rarer kinds.
    static var someKills: Int { max(4, kills / 10) }
    /// Kills of what takes seconds each: large contents, replications with a server.
    static var fewKills: Int { max(4, kills / 30) }
    static let seed = number("SETTLE_SEED") ?? UInt64.random(in: 0..<UInt64(UInt32.max))

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
