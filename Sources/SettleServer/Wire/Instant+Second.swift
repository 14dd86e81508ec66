import Settle
import SettleOData

extension Instant {
    /// Whole seconds since 1970, rounded down.
    var second: Int64 {
        ticks.flooredQuotientAndRemainder(dividingBy: Instant.ticksPerSecond).quotient
    }
}
