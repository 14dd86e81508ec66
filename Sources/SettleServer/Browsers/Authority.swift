import Foundation

/// A host and a port as `Host` and `Origin` have them.
///
/// > Source: RFC 3986, 3.2; RFC 9110, 7.2.
struct Authority: Sendable, Equatable {
    /// In lower case, without the dot at its end; an address of version 6 without its brackets.
    let host: String
    /// Nil when none is named.
    let port: Int?

    /// Reads `HOST` or `HOST:PORT`; nil for anything else, such as several hosts or a user's name.
    init?(_ text: some StringProtocol) {
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let address = text[text.index(after: text.startIndex)..<end]
            guard let address = IPAddress(String(address)), address.isVersion6 else { return nil }
            host = address.text
            rest = Substring(text[text.index(after: end)...])
        } else {
            let name = text.prefix { $0 != ":" }
            guard Self.isName(name) else { return nil }
            let lower = name.lowercased()
            host = lower.hasSuffix(".") ? String(lower.dropLast()) : lower
            rest = Substring(text[name.endIndex...])
        }
        guard !host.isEmpty else { return nil }
        guard !rest.isEmpty else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        // `HOST:` is the scheme's own port.
        guard !digits.isEmpty else {
            port = nil
            return
        }
        guard let number = Int(digits), number <= 65_535 else { return nil }
        port = number
    }

    /// The characters of names and of addresses of version 4, and those that RFC 3986 lets a
    /// registered name have besides.
    private static func isName(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { byte in
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
            default: false
            }
        }
    }

    /// Whether it is this machine, whatever a name server says.
    ///
    /// > Source: RFC 6761, 6.3: names below `localhost` are never looked up.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost")
            || IPAddress(host)?.isLoopback == true
    }
}
