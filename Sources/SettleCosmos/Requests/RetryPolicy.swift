extension Cosmos {
    /// How often and how long a client tries again by itself before it throws.
    ///
    /// A request that was throttled (429), or that met another (449), was not carried out and is sent
    /// again after what the service says. After a failure of the service or of the network only what may
    /// be carried out twice is sent again: reads, and upserts and replaces that depend on no version.
    public struct RetryPolicy: Sendable, Hashable {
        /// The most tries of one request after which a throttled one is given up; the first counts.
        public var throttledAttemptsMax: Int
        /// The longest time that a throttled request waits in all.
        public var throttledWaitMax: Duration
        /// The most tries of one request after failures; the first counts.
        public var failedAttemptsMax: Int
        /// The wait after the first failure; each is twice the one before.
        public var failureWait: Duration

        /// A policy.
        ///
        /// - Parameters:
        ///   - throttledAttemptsMax: 1 or more.
        ///   - throttledWaitMax: 0 or more.
        ///   - failedAttemptsMax: 1 or more.
        ///   - failureWait: 0 or more.
        /// - Precondition: The values are in these ranges.
        public init(
            throttledAttemptsMax: Int = 10, throttledWaitMax: Duration = .seconds(30),
            failedAttemptsMax: Int = 4, failureWait: Duration = .milliseconds(250)
        ) {
            precondition(
                throttledAttemptsMax >= 1 && failedAttemptsMax >= 1 && throttledWaitMax >= .zero
                    && failureWait >= .zero, "A request is tried once at least.")
            self.throttledAttemptsMax = throttledAttemptsMax
            self.throttledWaitMax = throttledWaitMax
            self.failedAttemptsMax = failedAttemptsMax
            self.failureWait = failureWait
        }

        /// Throws the first failure.
        public static let never = RetryPolicy(
            throttledAttemptsMax: 1, throttledWaitMax: .zero, failedAttemptsMax: 1,
            failureWait: .zero)
    }

    /// What one request has been through.
    struct RetryState {
        private let policy: RetryPolicy
        private var throttledCount = 0
        private var throttledWait = Duration.zero
        private var failedCount = 0

        init(_ policy: RetryPolicy) { self.policy = policy }

        /// How long to wait before the next try; nil to give up.
        ///
        /// - Parameters:
        ///   - error: How the last try ended.
        ///   - isRepeatable: Whether the request may be carried out twice.
        ///   - namesRange: Whether it is about one range.
        /// - Returns: The wait.
        mutating func wait(
            after error: ClientError, isRepeatable: Bool, namesRange: Bool = false
        ) -> Duration? {
            switch error.kind {
            case .tooManyRequests, .retryWith:
                return throttledWait(error.retryAfter ?? policy.failureWait)
            case .notFound where error.subStatus == 1002:
                return failureWait()
            case .gone where error.subStatus == 1007 || error.subStatus == 1008:
                // A split or a move of a partition is about to end; nothing was carried out.
                return failureWait()
            case .gone where error.subStatus == 1002 && !namesRange:
                // The service's gateway went by ranges that were split. Nothing was carried out.
                return failureWait()
            case .internalServerError, .serviceUnavailable, .requestTimeout, .unreachable:
                return isRepeatable ? failureWait().map { max($0, error.retryAfter ?? .zero) } : nil
            default:
                return nil
            }
        }

        private mutating func throttledWait(_ wait: Duration) -> Duration? {
            throttledCount += 1
            guard throttledCount < policy.throttledAttemptsMax,
                throttledWait + wait <= policy.throttledWaitMax
            else { return nil }
            throttledWait += wait
            return wait
        }

        private mutating func failureWait() -> Duration? {
            failedCount += 1
            guard failedCount < policy.failedAttemptsMax else { return nil }
            return policy.failureWait * (1 << min(failedCount - 1, 16))
        }
    }
}
