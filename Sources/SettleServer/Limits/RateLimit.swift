/// How many requests a sender may make.
///
/// A sender is the subject of a token, and without one the address of the connection; requests with
/// a token that is not good count for the address.
public struct RateLimit: Sendable, Equatable {
    /// How many requests a second, on and on; more than 0.
    public var requestsPerSecond: Double
    /// How many at once after a pause; at least 1.
    public var burst: Int

    /// A limit.
    ///
    /// - Parameters:
    ///   - requestsPerSecond: How many requests a second, on and on.
    ///   - burst: How many at once after a pause; nil for what comes in together in a second.
    public init(requestsPerSecond: Double, burst: Int? = nil) {
        self.requestsPerSecond = requestsPerSecond
        let second = requestsPerSecond.isFinite ? min(max(requestsPerSecond, 1), 1e9) : 1
        self.burst = burst ?? Int(second.rounded(.up))
    }
}
