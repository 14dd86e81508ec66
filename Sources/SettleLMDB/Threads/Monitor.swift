#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A value behind a lock, with waiting until the value allows something.
///
/// The value is only touched inside `withLock` and `when`, with the lock held; that is why the
/// class may call itself Sendable.
final class Monitor<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let value: UnsafeMutablePointer<Value>
    /// How many threads wait for a change; touched with the lock held, like the value.
    private var waitingCount = 0

    init(_ initial: Value) {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
        Self.require(pthread_mutex_init(mutex, nil))
        #if canImport(Darwin)
            Self.require(pthread_cond_init(condition, nil))
        #else
            // Deadlines are on the monotonic clock: setting the wall clock must not move them.
            var attributes = pthread_condattr_t()
            Self.require(pthread_condattr_init(&attributes))
            Self.require(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC))
            Self.require(pthread_cond_init(condition, &attributes))
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        value.deinitialize(count: 1)
        value.deallocate()
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs the body with the value, then wakes everybody who waits.
    func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        Self.require(pthread_mutex_lock(mutex))
        defer {
            wakeAndUnlock()
        }
        return try body(&value.pointee)
    }

    /// Runs the body until it returns something, waiting for a change in between.
    func when<R, E: Error>(_ body: (inout Value) throws(E) -> R?) throws(E) -> R {
        Self.require(pthread_mutex_lock(mutex))
        defer {
            wakeAndUnlock()
        }
        while true {
            if let result = try body(&value.pointee) { return result }
            waitingCount += 1
            Self.require(pthread_cond_wait(condition, mutex))
            waitingCount -= 1
        }
    }

    /// As `when`, but gives up with nil after so many seconds.
    func when<R>(withinSeconds seconds: Double, _ body: (inout Value) -> R?) -> R? {
        let deadline = ContinuousClock.now + .seconds(seconds)
        Self.require(pthread_mutex_lock(mutex))
        defer {
            wakeAndUnlock()
        }
        while true {
            if let result = body(&value.pointee) { return result }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return nil }
            waitingCount += 1
            waitOnce(atMost: left)
            waitingCount -= 1
        }
    }

    private func wakeAndUnlock() {
        if waitingCount > 0 { pthread_cond_broadcast(condition) }
        Self.require(pthread_mutex_unlock(mutex))
    }

    private func waitOnce(atMost left: Duration) {
        let nanoseconds = left.components.attoseconds / 1_000_000_000
        #if canImport(Darwin)
            var span = timespec(tv_sec: Int(left.components.seconds), tv_nsec: Int(nanoseconds))
            _ = pthread_cond_timedwait_relative_np(condition, mutex, &span)
        #else
            var moment = timespec()
            clock_gettime(CLOCK_MONOTONIC, &moment)
            moment.tv_sec += Int(left.components.seconds)
            moment.tv_nsec += Int(nanoseconds)
            if moment.tv_nsec >= 1_000_000_000 {
                moment.tv_sec += 1
                moment.tv_nsec -= 1_000_000_000
            }
            _ = pthread_cond_timedwait(condition, mutex, &moment)
        #endif
    }

    private static func require(_ result: Int32) {
        precondition(result == 0, "A lock of the process failed with error \(result).")
    }
}

/// Which thread runs; equal for equal threads as long as they live.
struct ThreadIdentity: Equatable, Sendable {
    private let bits: UInt

    static var current: ThreadIdentity { ThreadIdentity(pthread_self()) }

    init(_ thread: pthread_t) {
        #if canImport(Darwin)
            bits = UInt(bitPattern: thread)
        #else
            bits = thread
        #endif
    }
}
