import Foundation
import Synchronization

/// The time that passes in a simulation; the clocks of its machines are off by this or that much.
final class SimulatedTime: Sendable {
    private let time = Mutex(TableTime(year: 2024, month: 2, day: 28))

    var now: TableTime { time.withLock { $0 } }

    func pass(ticks: Int) {
        time.withLock { $0.ticks += ticks }
    }

    /// What a clock says that is off by so many milliseconds.
    func date(offBy milliseconds: Int) -> Date {
        let ticks = now.ticks + milliseconds * TableTime.ticksPerMillisecond
        return Date(timeIntervalSince1970: Double(ticks) / Double(TableTime.ticksPerSecond))
    }
}
