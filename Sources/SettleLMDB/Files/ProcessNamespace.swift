#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The namespace in which the number of a process means something.
///
/// The engine tells living readers from dead ones by their process numbers. Two containers that
/// share a directory count their processes on their own, so each would take the other's living
/// readers for dead and use their pages again.
enum ProcessNamespace {
    /// The kernel's number of the namespace of this process; nil where there are none.
    static var current: UInt32? {
        #if canImport(Darwin)
            return nil
        #else
            var buffer = stat()
            guard stat("/proc/self/ns/pid", &buffer) == 0 else { return nil }
            return UInt32(truncatingIfNeeded: buffer.st_ino)
        #endif
    }

    static func error(_ path: String) -> LMDBError {
        LMDBError(
            code: .foreignProcessNamespace, operation: "open", path: path,
            message: "A process of another container has the database open, and the two cannot "
                + "see whether the other's readers live; share the namespace of process numbers, "
                + "or open it in one container only.")
    }
}
