internal import CMalloc
import Dispatch
import SettlePrimitives
import Synchronization

/// Gives memory back to the system when large requests are over.
///
/// The C library keeps what was freed for the next to ask, and after the largest request the process would stay
/// as large as it was then.
final class MemoryReturn: Sendable {
    private let isDue = Lock(false)
    private let clock: any Clock<Duration>
    private let trim: @Sendable () -> Void

    /// How long it waits for further requests, since it is not for nothing.
    private static let pause = Duration.seconds(1)

    /// - Parameters:
    ///   - clock: What the pause is measured with.
    ///   - trim: Gives the memory back; blocks its thread meanwhile.
    init(
        clock: any Clock<Duration>,
        trim: @escaping @Sendable () -> Void = { _ = MemoryReturn.trim() }
    ) {
        self.clock = clock
        self.trim = trim
    }

    /// Gives free memory back.
    ///
    /// - Returns: Whether the C library can do that.
    static func trim() -> Bool { settle_malloc_trim() }

    /// Notes that no large request is under way any more.
    func note() {
        let isFirst = isDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        let (clock, trim) = (clock, trim)
        Task {
            try? await clock.sleep(for: Self.pause)
            isDue.withLock { $0 = false }
            DispatchQueue.global(qos: .utility).async { trim() }
        }
    }
}
