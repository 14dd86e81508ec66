#if os(Linux)
    import Foundation
    import Glibc

    /// How much memory for data the process may have.
    ///
    /// Maps of files do not count, which is why the size of a database does not; what is allocated
    /// does, and so do the stacks of threads.
    enum MemoryLimit {
        /// Allows so many bytes more than there are now.
        static func set(aboveNow bytes: Int) throws {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmData:") }
            guard let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
                let used = Int(kibibytes)
            else { preconditionFailure("The system does not tell how much memory is used.") }
            let most = rlim_t(used * 1_024 + bytes)
            var limit = rlimit(rlim_cur: most, rlim_max: most)
            guard setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0 else {
                preconditionFailure("The memory cannot be limited: error \(errno).")
            }
        }

        /// Whether so many bytes can be had at once.
        static func allows(_ bytes: Int) -> Bool {
            guard let memory = malloc(bytes) else { return false }
            free(memory)
            return true
        }
    }
#endif
