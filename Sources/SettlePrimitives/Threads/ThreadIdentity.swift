#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Which thread runs; equal for equal threads as long as they live.
@usableFromInline package struct ThreadIdentity: Equatable, Sendable {
    @usableFromInline let bits: UInt

    /// The thread that asks.
    package static var current: ThreadIdentity { ThreadIdentity(pthread_self()) }

    init(_ thread: pthread_t) {
        #if canImport(Darwin)
            bits = unsafe UInt(bitPattern: thread)
        #else
            bits = thread
        #endif
    }

    @inlinable
    package static func == (left: ThreadIdentity, right: ThreadIdentity) -> Bool {
        left.bits == right.bits
    }
}
