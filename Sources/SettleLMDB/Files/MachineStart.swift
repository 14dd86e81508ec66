#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tells one start of the machine from the next.
enum MachineStart {
    /// Bytes of ``current``.
    static let byteCount = 40

    /// An identifier the system draws when it starts, 40 bytes; zeros where it tells none.
    ///
    /// On Linux `boot_id` of proc(5). **The branch for Apple systems has never been run.**
    static let current: [UInt8] = {
        var text = [UInt8](repeating: 0, count: byteCount)
        #if canImport(Darwin)
            var size = byteCount
            let result = sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0)
            return result == 0 ? text : [UInt8](repeating: 0, count: byteCount)
        #else
            let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return text }
            defer { close(file) }
            // 36 characters and a line end, in one piece.
            _ = read(file, &text, byteCount)
            return text
        #endif
    }()
}
