#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A mutex of the system, and a condition that threads wait for with the mutex held.
///
/// The standard library has a mutex and no condition; that of Foundation is an object behind
/// Objective-C's message passing on one system, and brings Foundation along on the other.
@safe @usableFromInline final class ConditionLock: @unchecked Sendable {
    // The system's functions need places that never move. Nobody else has these pointers.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    /// How many threads wait for a change; touched with the mutex held.
    private var waitingCount = 0

    @usableFromInline init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe Self.require(pthread_mutex_init(mutex, nil))
        #if canImport(Darwin)
            unsafe Self.require(pthread_cond_init(condition, nil))
        #else
            // Deadlines are on the monotonic clock: setting the wall clock must not move them.
            var attributes = pthread_condattr_t()
            unsafe Self.require(pthread_condattr_init(&attributes))
            unsafe Self.require(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC))
            unsafe Self.require(pthread_cond_init(condition, &attributes))
            unsafe pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    @usableFromInline func lock() {
        unsafe Self.require(pthread_mutex_lock(mutex))
    }

    /// Wakes threads that wait, so that they look again, and gives the mutex back.
    @usableFromInline func unlock(waking: Waking) {
        if waitingCount > 0 {
            switch waking {
            case .none: break
            case .one: unsafe pthread_cond_signal(condition)
            case .all: unsafe pthread_cond_broadcast(condition)
            }
        }
        unsafe Self.require(pthread_mutex_unlock(mutex))
    }

    /// Gives the mutex back until it is woken, which may also happen without a reason.
    @usableFromInline func wait() {
        waitingCount += 1
        unsafe Self.require(pthread_cond_wait(condition, mutex))
        waitingCount -= 1
    }

    /// As ``wait()``, but no longer than that.
    @usableFromInline func wait(atMost left: Duration) {
        waitingCount += 1
        let nanoseconds = left.components.attoseconds / 1_000_000_000
        #if canImport(Darwin)
            var span = timespec(tv_sec: Int(left.components.seconds), tv_nsec: Int(nanoseconds))
            _ = unsafe pthread_cond_timedwait_relative_np(condition, mutex, &span)
        #else
            var moment = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
            moment.tv_sec += Int(left.components.seconds)
            moment.tv_nsec += Int(nanoseconds)
            if moment.tv_nsec >= 1_000_000_000 {
                moment.tv_sec += 1
                moment.tv_nsec -= 1_000_000_000
            }
            _ = unsafe pthread_cond_timedwait(condition, mutex, &moment)
        #endif
        waitingCount -= 1
    }

    private static func require(_ result: Int32) {
        precondition(result == 0, "A lock of the process failed with error \(result).")
    }
}
