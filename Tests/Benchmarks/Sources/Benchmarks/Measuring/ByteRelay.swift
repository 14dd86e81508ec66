import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Carries connections to a port of this machine and counts the bytes in both directions.
final class ByteRelay: Sendable {
    /// The port to connect to.
    let port: Int
    private let listener: Int32
    private let counts = Mutex((sent: 0, received: 0))

    /// Bytes from those who connected.
    var sent: Int { counts.withLock { $0.sent } }
    /// Bytes to those who connected.
    var received: Int { counts.withLock { $0.received } }

    init(to target: Int) throws {
        let listener = try Loopback.socket()
        var address = Loopback.address(port: 0)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(listener, 16) == 0 else {
            throw BenchmarkError("A port could not be had.")
        }
        var bound = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(listener, $0, &size)
            }
        }
        self.listener = listener
        port = Int(UInt16(bigEndian: bound.sin_port))
        Thread { [self] in accept(for: target) }.start()
    }

    /// Takes no more connections.
    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept(for target: Int) {
        while true {
            let near = Loopback.accept(listener)
            guard near >= 0 else { return }
            guard let far = try? Loopback.connection(to: target) else {
                Loopback.close(near)
                continue
            }
            Thread { [self] in carry(from: near, to: far) { $0.sent += $1 } }.start()
            Thread { [self] in carry(from: far, to: near) { $0.received += $1 } }.start()
        }
    }

    private func carry(
        from source: Int32, to target: Int32,
        _ count: (inout (sent: Int, received: Int), Int) -> Void
    ) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let length = recv(source, &bytes, bytes.count, 0)
            guard length > 0 else { break }
            counts.withLock { count(&$0, length) }
            guard Loopback.send(bytes[..<length], to: target) else { break }
        }
        shutdown(target, Int32(SHUT_WR))
    }
}
