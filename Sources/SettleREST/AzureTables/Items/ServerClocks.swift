import Foundation

/// What the server's clock and our own said at one moment.
///
/// Two such pairs tell whether the server's clock went back in between: ours says how long it was.
/// That catches every step back that is larger than the tolerance, at the next pull, provided that
/// our own clock was not put back by as much in the same time. What cannot be caught: a clock that
/// went back and forth again between two pulls, steps below the tolerance (the safety window covers
/// those), and the clock of a database that is not the one in the responses. When our own clock was
/// put forward, that looks the same as the server's going back; then something is read again in
/// vain.
struct ServerClocks: Sendable, Hashable {
    /// The response's `Date`; it has whole seconds.
    var server: Date
    /// Our own time when the response came.
    var local: Date

    /// By how many seconds the server's clock went back between this pair and a later one; nil when
    /// it did not.
    func stepBack(until later: ServerClocks, tolerance: Double) -> Double? {
        let elapsed = max(0, later.local.timeIntervalSince(local))
        let step = server.addingTimeInterval(elapsed).timeIntervalSince(later.server)
        return step > tolerance ? step : nil
    }
}

extension RowTime {
    /// A time in UTC, cut to the millisecond.
    init(_ date: Date) {
        // Far beyond what a table can hold, and what an integer of nanoseconds can.
        let bounded = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        let whole = bounded.rounded(.down)
        let millis = Int64(((bounded - whole) * 1_000).rounded(.down))
        self.init(
            seconds: Int64(whole), nanoseconds: min(999, millis) * 1_000_000, digits: 3)
    }

    /// The time as a date, as near as that can be.
    var date: Date {
        Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
    }
}
