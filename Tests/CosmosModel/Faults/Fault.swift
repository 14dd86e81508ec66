/// What happens to a request instead of, or besides, being carried out.
package enum Fault: Sendable {
    /// 429: the request comes too often; the response says how long to wait.
    case throttle(retryAfterMilliseconds: Int)
    /// A failure with this status, such as 408, 449, 500 or 503; nothing is carried out.
    case fail(status: Int, subStatus: Int = 0)
    /// The connection is closed before the request is carried out.
    case cutBefore
    /// The request is carried out and the connection closed without a response.
    case cutAfter
    /// The request waits before it is carried out until the gate is open.
    case delayBefore(FaultGate)
    /// The request is carried out; its response waits until the gate is open.
    case delayAfter(FaultGate)
}

/// Which requests a fault meets.
package struct FaultRule: Sendable {
    /// What happens.
    package var fault: Fault
    /// How many more requests it meets; nil for all.
    package var count: Int?
    /// Whether it meets a request.
    package var matches: @Sendable (ServiceRequest) -> Bool

    /// A rule.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - count: How many requests it meets; nil for all.
    ///   - matches: Which requests those are.
    package init(
        _ fault: Fault, count: Int? = 1,
        where matches: @escaping @Sendable (ServiceRequest) -> Bool = { _ in true }
    ) {
        precondition(count.map { $0 > 0 } ?? true, "A rule meets at least one request.")
        self.fault = fault
        self.count = count
        self.matches = matches
    }
}
