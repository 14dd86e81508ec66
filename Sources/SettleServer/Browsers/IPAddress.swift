import NIOCore

/// An address of the internet protocol, as text that is the same for the same address.
struct IPAddress: Sendable, Equatable {
    /// The address as the system writes it; version 4 in version 6 as version 4.
    let text: String
    /// Whether it came as one of version 6.
    let isVersion6: Bool

    /// Reads an address; nil for a name, or for digits that only some programs take for one.
    init?(_ text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0),
            let canonical = address.ipAddress
        else { return nil }
        isVersion6 = address.protocol == .inet6
        let mapped = "::ffff:"
        let isMapped = canonical.hasPrefix(mapped) && canonical.contains(".")
        self.text = isMapped ? String(canonical.dropFirst(mapped.count)) : canonical
    }

    /// Whether it is this machine.
    var isLoopback: Bool { text == "::1" || text.hasPrefix("127.") }
}
