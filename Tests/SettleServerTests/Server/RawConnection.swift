import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection to a port of this machine that sends any bytes and may end in the middle.
///
/// What waits does so on a thread of its own: the server's tasks need the others.
struct RawConnection: Sendable {
    private let descriptor: Int32

    /// Connects.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - receiveBufferBytes: About how much the system keeps for this side; nil for what it likes.
    /// - Throws: When nobody listens.
    init(port: Int, receiveBufferBytes: Int32? = nil) throws {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        if var bytes = receiveBufferBytes {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, length) == 0
            }
        }
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
        self.descriptor = descriptor
    }

    /// Sends bytes, waiting for room.
    ///
    /// - Returns: False when the other side has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) async throws -> Bool {
        try await onThread {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { buffer in
                    #if canImport(Glibc)
                        Glibc.send(
                            descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                    #else
                        Darwin.send(descriptor, buffer.baseAddress, buffer.count, 0)
                    #endif
                }
                if count <= 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Receives what there is, waiting for the first byte.
    ///
    /// - Returns: At most `countMax` bytes; none when the other side has closed.
    func receive(_ countMax: Int) async throws -> [UInt8] {
        try await onThread {
            var buffer = [UInt8](repeating: 0, count: countMax)
            let count = recv(descriptor, &buffer, countMax, 0)
            return Array(buffer.prefix(max(0, count)))
        }
    }

    /// Receives until the other side closes.
    func receiveRest() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try await receive(1 << 16)
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    /// Whether there is something to receive now.
    var hasBytes: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// Says that nothing more will be sent.
    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the connection.
    func end() {
        close(descriptor)
    }
}
