import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What this process has computed, on all its threads.
enum ProcessorTime {
    /// The seconds of processor that it has used, in its own code and in the system's.
    static var seconds: Double {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
        #else
            getrusage(RUSAGE_SELF.rawValue, &usage)
        #endif
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
        }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
