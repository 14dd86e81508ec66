import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOSSL
import SettleHosting
import SettleSync
import TestSupport
import Testing

@testable import SettleREST

/// Who is trusted, over real TLS.
@Suite(.timeLimit(.minutes(60))) struct `A server's certificate` {
    /// Asks a server that has the first certificate, as a client that trusts both.
    private func ask(
        pins: [String: [String]]?, host: String = "localhost"
    ) async throws -> (error: ReplicationError?, askedCount: Int) {
        try await WireServer.run(tls: TestCertificate.first.serverContext()) { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { server in
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates(
                try TestCertificate.allCases.map { try $0.certificate() })
            var configuration = HTTPClient.Configuration()
            configuration.tlsConfiguration = tls
            let transport = AsyncHTTPClientTransport(
                configuration: configuration, pins: try pins.map { try PublicKeyPins($0) })
            var failure: ReplicationError?
            // Twice: the second time there may be a connection already.
            for _ in 0..<2 {
                failure = await transport.failure("https", authority: "\(host):\(server.port)")
            }
            await transport.shutdown()
            return (failure, server.asked.count)
        }
    }

    @Test func `that is trusted is enough without pins`() async throws {
        let (error, count) = try await ask(pins: nil)
        #expect(error == nil, "\(String(describing: error))")
        #expect(count == 2)
    }

    @Test func `must have the key that is pinned for its host`() async throws {
        let (first, second) = (TestCertificate.first.pin, TestCertificate.second.pin)
        for pins in [
            ["localhost": [first]], ["LOCALHOST.": ["sha256/" + first]],
            ["localhost": [second, first]], ["example.org": [second]],
        ] {
            let (error, count) = try await ask(pins: pins)
            #expect(error == nil, "\(pins): \(String(describing: error))")
            #expect(count == 2)
        }
        for (pins, host) in [
            (["localhost": [second]], "localhost"), (["localhost": [second]], "LocalHost"),
        ] {
            let (error, count) = try await ask(pins: pins, host: host)
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("not one of the pinned ones") == true, "\(pins)")
            #expect(count == 0, "A request went to a server with another key.")
        }
    }

    @Test func `is wanted of a host that is pinned, whatever its address says`() async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { server in
            let pins = try PublicKeyPins(["127.0.0.1": [TestCertificate.first.pin]])
            let transport = AsyncHTTPClientTransport(pins: pins)
            let error = await transport.failure(server)
            #expect(error?.code == .misconfigured)
            await transport.shutdown()
            #expect(server.connectionCount == 0)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `that nobody trusts is refused in plain words`(kind: TransportKind) async throws {
        try await WireServer.run(tls: TestCertificate.first.serverContext()) { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { server in
            try await kind.run { transport in
                let error = try #require(
                    await transport.failure("https", authority: "localhost:\(server.port)"))
                #expect(error.code == .unreachable)
                #expect(error.message.contains("No trusted connection"), "\(error)")
            }
            #expect(server.asked.isEmpty)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `is missed when the server speaks no TLS`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.close()
        } _: { server in
            try await kind.run(timeoutSeconds: 1) { transport in
                let error = await transport.failure(
                    "https", authority: "localhost:\(server.port)")
                #expect(error?.code == .unreachable)
            }
            #expect(server.asked.isEmpty)
        }
    }

    @Test func `has its key where a reader of certificates finds it`() throws {
        for certificate in TestCertificate.allCases {
            let certificate = try certificate.certificate()
            let bytes = try certificate.toDERBytes()
            let key = try certificate.extractPublicKey().toSPKIBytes()
            let found = try #require(CertificateKey.subjectPublicKeyInfo(inDER: bytes))
            #expect(Array(found) == key)
            // Cut off or spoilt anywhere, it gives a key or none, and never fails otherwise.
            for count in 0..<bytes.count {
                let cut = CertificateKey.subjectPublicKeyInfo(inDER: Array(bytes.prefix(count)))
                #expect(cut == nil)
            }
            var generator = SeededGenerator(seed: 3)
            for _ in 0..<5_000 {
                var spoilt = bytes
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    spoilt[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
                        in: 0...255, using: &generator)
                }
                let found = CertificateKey.subjectPublicKeyInfo(inDER: spoilt)
                #expect(found.map { $0.count <= spoilt.count } ?? true)
            }
        }
    }
}
