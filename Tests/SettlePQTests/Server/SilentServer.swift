import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A server that takes connections and never says a word.
final class SilentServer: Sendable {
    /// Its port at 127.0.0.1.
    let port: String
    private let socket: Int32

    struct Failure: Error {}

    init() throws {
        var hints = addrinfo()
        hints.ai_family = AF_INET
        hints.ai_flags = AI_PASSIVE
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo("127.0.0.1", "0", &hints, &list) == 0, let list else { throw Failure() }
        defer { freeaddrinfo(list) }
        let place = list.pointee
        #if canImport(Darwin)
            socket = Darwin.socket(place.ai_family, place.ai_socktype, place.ai_protocol)
        #else
            socket = Glibc.socket(place.ai_family, place.ai_socktype, place.ai_protocol)
        #endif
        var length = place.ai_addrlen
        var service = [CChar](repeating: 0, count: 16)
        // The system chooses the port, and writes it where the address was.
        guard bind(socket, place.ai_addr, length) == 0, listen(socket, 64) == 0,
            fcntl(socket, F_SETFL, O_NONBLOCK) == 0,
            getsockname(socket, place.ai_addr, &length) == 0,
            getnameinfo(
                place.ai_addr, length, nil, 0, &service, socklen_t(service.count), NI_NUMERICSERV)
                == 0
        else { throw Failure() }
        port = String(
            decoding: service.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { close(socket) }

    /// Takes a connection that somebody has made; nil when nobody has.
    func takeConnection() -> Int32? {
        let connection = accept(socket, nil, nil)
        return connection < 0 ? nil : connection
    }

    /// Ends a connection that was taken.
    func end(_ connection: Int32) { close(connection) }
}
