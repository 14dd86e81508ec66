import SettleSync
import Testing

@testable import SettleREST

@Suite struct `Pins of public keys` {
    private let pin = "rK+mZP/A9i+7jUI+LFiaDjbZsIpzSXeftqrZs4QDYMA="

    @Test func `are kept by host, however it is written`() throws {
        let pins = try PublicKeyPins(["Example.ORG": [pin], "b.example.org.": ["sha256/" + pin]])
        #expect(pins.hosts == ["example.org", "b.example.org"])
        let digest: [UInt8] = [
            0xAC, 0xAF, 0xA6, 0x64, 0xFF, 0xC0, 0xF6, 0x2F, 0xBB, 0x8D, 0x42, 0x3E, 0x2C, 0x58,
            0x9A, 0x0E, 0x36, 0xD9, 0xB0, 0x8A, 0x73, 0x49, 0x77, 0x9F, 0xB6, 0xAA, 0xD9, 0xB3,
            0x84, 0x03, 0x60, 0xC0,
        ]
        for host in ["example.org", "EXAMPLE.org.", "B.example.org"] {
            #expect(pins.allow(host: host, digest: digest))
            #expect(!pins.allow(host: host, digest: digest.reversed()))
            #expect(!pins.allow(host: host, digest: []))
        }
        #expect(pins.allow(host: "a.example.org", digest: []))
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
