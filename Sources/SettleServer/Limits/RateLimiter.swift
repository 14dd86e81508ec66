import SettlePrimitives
import Synchronization

/// Counts the requests of each sender against a limit.
///
/// Everybody has a bucket that fills at the rate of the limit, up to its burst; a request takes one
/// from it. Full buckets are not kept, so memory depends on who was here just now, and it has an end.
final class RateLimiter: Sendable {
    private struct Bucket {
        var level: Double
        var time: Duration
    }

    private let limit: RateLimit
    private let keyCountMax: Int
    private let elapsed: @Sendable () -> Duration
    private let buckets = Lock<[SenderKey: Bucket]>([:])

    /// A limiter with full buckets.
    ///
    /// - Parameters:
    ///   - limit: The limit, for each key.
    ///   - keyCountMax: How many buckets are kept; of more, the fullest are forgotten.
    ///   - elapsed: A clock that only goes forward.
    init(
        _ limit: RateLimit, keyCountMax: Int = 100_000,
        elapsed: @escaping @Sendable () -> Duration = Uptime.elapsed
    ) {
        self.limit = limit
        self.keyCountMax = keyCountMax
        self.elapsed = elapsed
    }

    /// Counts a request.
    ///
    /// - Parameter key: Whose it is.
    /// - Returns: Nil when it may go on; else how many whole seconds later there is room again, at
    ///   least 1.
    func take(_ key: SenderKey) -> Int? {
        buckets.withLock { buckets in
            // Read under the lock, so that it never goes back between two requests.
            let now = elapsed()
            var bucket = buckets[key] ?? Bucket(level: Double(limit.burst), time: now)
            bucket.level = level(of: bucket, at: now)
            bucket.time = now
            guard bucket.level >= 1 else {
                buckets[key] = bucket
                let wait = (1 - bucket.level) / limit.requestsPerSecond
                return Int(min(max(wait.rounded(.up), 1), 86_400))
            }
            bucket.level -= 1
            if buckets[key] == nil, buckets.count >= keyCountMax {
                forget(in: &buckets, at: now)
            }
            buckets[key] = bucket
            return nil
        }
    }

    /// How many senders have less than a full bucket, as far as they are remembered.
    var keyCount: Int { buckets.withLock { $0.count } }

    private func level(of bucket: Bucket, at now: Duration) -> Double {
        let seconds = (now - bucket.time) / .seconds(1)
        return min(Double(limit.burst), bucket.level + seconds * limit.requestsPerSecond)
    }

    /// Makes room: full buckets are as good as none, then the fullest go.
    private func forget(in buckets: inout [SenderKey: Bucket], at now: Duration) {
        buckets = buckets.filter { level(of: $0.value, at: now) < Double(limit.burst) }
        guard buckets.count >= keyCountMax else { return }
        let levels = buckets.values.map { level(of: $0, at: now) }.sorted()
        let middle = levels[levels.count / 2]
        let kept = buckets.filter { level(of: $0.value, at: now) < middle }
        buckets = kept
    }
}
