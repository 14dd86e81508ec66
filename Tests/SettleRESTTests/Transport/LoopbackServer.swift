import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server on a real socket of this machine that answers every request with fixed bytes.
final class LoopbackServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let received = Mutex<[String]>([])

    /// The heads of the requests that came, in order.
    var requests: [String] { received.withLock { $0 } }

    /// Begins to listen.
    ///
    /// - Parameter answer: The bytes to answer with; nil closes the connection instead, and an
    ///   empty text says nothing and keeps it open.
    /// - Throws: When there is no port to listen on.
    init(_ answer: @escaping @Sendable (_ path: String) -> String?) throws {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        listener = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                if connection < 0 { return }
                Thread.detachNewThread { [self] in serve(connection, answer) }
            }
        }
    }

    /// Stops listening.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ connection: Int32, _ answer: (String) -> String?) {
        defer { close(connection) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { return }
            bytes += buffer[..<count]
            // Requests in these tests have no body worth waiting for.
            guard let head = String(validating: bytes, as: UTF8.self), head.contains("\r\n\r\n")
            else { continue }
            bytes = []
            received.withLock { $0.append(head) }
            let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            guard let text = answer(path) else { return }
            let out = Array(text.utf8)
            if send(connection, out, out.count, Int32(MSG_NOSIGNAL)) < 0 { return }
        }
    }
}
