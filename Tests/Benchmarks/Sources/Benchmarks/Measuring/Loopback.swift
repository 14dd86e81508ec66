import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Sockets between processes of this machine, which block.
enum Loopback {
    /// Sends bytes, all of them; false when the connection is broken.
    static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                #if canImport(Glibc)
                    let count = Glibc.send(
                        socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                #else
                    let count = Darwin.send(socket, part.baseAddress, part.count, 0)
                #endif
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    static func accept(_ listener: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.accept(listener, nil, nil)
        #else
            Darwin.accept(listener, nil, nil)
        #endif
    }

    static func close(_ socket: Int32) {
        #if canImport(Glibc)
            Glibc.close(socket)
        #else
            Darwin.close(socket)
        #endif
    }

    static func connection(to port: Int) throws -> Int32 {
        let socket = try socket()
        var address = address(port: port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw BenchmarkError("The server cannot be reached.") }
        return socket
    }

    static func socket() throws -> Int32 {
        #if canImport(Glibc)
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard socket >= 0 else { throw BenchmarkError("A socket could not be had.") }
        return socket
    }

    static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}
