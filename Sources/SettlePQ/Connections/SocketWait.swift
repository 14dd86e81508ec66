#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Waiting for sockets and pipes.
enum SocketWait {
    /// Whether a socket has something to read, or has ended.
    static func isReadable(_ socket: Int32) -> Bool {
        firstReadable(of: [socket], milliseconds: 0) != nil
    }

    /// Waits until one of some sockets has something to read, or has ended.
    ///
    /// - Parameters:
    ///   - sockets: File descriptors; a negative one is passed over.
    ///   - milliseconds: How long to wait at most; -1 is for ever.
    /// - Returns: The place of the first that has; nil when the time was over.
    static func firstReadable(of sockets: [Int32], milliseconds: Int32) -> Int? {
        var requests = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = poll(&requests, nfds_t(requests.count), milliseconds)
        // An interrupted wait is one that was over early.
        guard count > 0 else { return nil }
        return requests.firstIndex { $0.revents != 0 }
    }
}
