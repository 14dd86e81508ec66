import Foundation
import SettlePrimitives
import Synchronization

/// How the file of each database grew while somebody looked.
///
/// All state is guarded by one lock.
final class GrowthRecord: Sendable {
    /// A look.
    struct Sample: Sendable {
        let time: Date
        let fileBytes: Int
    }

    private let samples = Lock<[String: [Sample]]>([:])

    /// How many looks are kept; of more, every second one goes.
    private static let countMax = 240
    /// The least time between two looks.
    private static let interval: TimeInterval = 1

    /// Notes a look, unless the one before it was just now.
    func note(_ fileBytes: Int, of name: String, at time: Date) {
        samples.withLock { samples in
            var known = samples[name] ?? []
            if let last = known.last, time.timeIntervalSince(last.time) < Self.interval { return }
            known.append(Sample(time: time, fileBytes: fileBytes))
            if known.count > Self.countMax {
                known = known.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            }
            samples[name] = known
        }
    }

    /// The looks at a database, the oldest first.
    func samples(of name: String) -> [Sample] { samples.withLock { $0[name] ?? [] } }
}
