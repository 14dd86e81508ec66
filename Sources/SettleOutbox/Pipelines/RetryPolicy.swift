public import Foundation

/// How long an operation waits after a failure: longer with every start of it.
public struct RetryPolicy: Sendable, Hashable {
    /// The wait after the first failure, in seconds.
    public var first: TimeInterval
    /// The longest wait, in seconds.
    public var longest: TimeInterval

    /// A policy; the wait is doubled with every start that failed, and between half and all of it by
    /// chance, so that many devices do not come at once.
    public init(first: TimeInterval = 1, longest: TimeInterval = 300) {
        self.first = first
        self.longest = longest
    }

    /// The wait after so many starts.
    ///
    /// - Parameters:
    ///   - startCount: How often the operation was started, 1 or more.
    ///   - random: A number from 0 to 1.
    /// - Returns: The wait, in seconds.
    func wait(startCount: Int, random: Double) -> TimeInterval {
        let doubled = first * pow(2, Double(min(max(startCount, 1), 64) - 1))
        return min(doubled, longest) * (0.5 + random / 2)
    }
}
