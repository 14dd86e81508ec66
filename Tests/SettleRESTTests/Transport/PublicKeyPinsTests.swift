import SettleSync
import Testing

@testable import SettleREST

@Suite struct `Pins of public keys` {
    // The SHA-256 of the three bytes "abc", which stand for a key.
    private let pin = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="

    @Test func `are kept by host, however it is written`() throws {
        let pins = try PublicKeyPins(["Example.ORG": [pin], "b.example.org.": ["sha256/" + pin]])
        #expect(pins.hosts == ["example.org", "b.example.org"])
        let key = Array("abc".utf8)
        for host in ["example.org", "EXAMPLE.org.", "B.example.org"] {
            #expect(pins.allow(host: host, key: key))
            #expect(!pins.allow(host: host, key: key.reversed()))
            #expect(!pins.allow(host: host, key: []))
        }
        #expect(pins.allow(host: "a.example.org", key: []))
    }

    @Test(arguments: [
        ["h": []], ["": ["rK+mZP/A9i+7jUI+LFiaDjbZsIpzSXeftqrZs4QDYMA="]], ["h": [""]],
        ["h": ["AAAA"]], ["h": ["not base64"]], ["h": ["sha1/rK+mZP/A9i+7jUI+LFiaDjbZsIo="]],
        ["https://h/": ["rK+mZP/A9i+7jUI+LFiaDjbZsIpzSXeftqrZs4QDYMA="]],
    ])
    func `that cannot protect anything are refused`(pins: [String: [String]]) {
        #expect {
            try PublicKeyPins(pins)
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
    }

    #if !canImport(Security)
        @Test func `are refused where they would do nothing`() throws {
            let pins = try PublicKeyPins(["h": [pin]])
            #expect {
                try URLSessionTransport(pins: pins)
            } throws: {
                let error = $0 as? ReplicationError
                return error?.code == .misconfigured
                    && error?.message.contains("AsyncHTTPClientTransport") == true
            }
        }
    #endif
}
