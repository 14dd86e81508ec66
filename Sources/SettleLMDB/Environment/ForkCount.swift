import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How often this process and those it was forked from have come out of a fork as the child.
///
/// Asking for the process number would tell as much and costs a system call; the system calls us
/// in the child instead. A child made around the C library's `fork` is not noticed.
enum ForkCount {
    private static let count = Atomic<UInt32>(0)

    private static let isRegistered: Bool = {
        pthread_atfork(nil, nil) { ForkCount.count.add(1, ordering: .relaxed) } == 0
    }()

    /// The count now; differs from one taken before the process was forked.
    ///
    /// The first call must come before the fork: it makes the system call us.
    static var current: UInt32 {
        precondition(isRegistered, "The system does not tell of forks.")
        return count.load(ordering: .relaxed)
    }
}
