import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized, .timeLimit(.minutes(60))) struct `TLS` {
    private struct NotMade: Error {}

    @Test(arguments: ["https://db.example/x.pem", "file://db.example/x.pem", "x.pem"])
    func `is of files of this machine, or it is said that they are none`(text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: ServerError.self) {
            try TLSFiles(certificate: url, key: url).configuration()
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("URL(fileURLWithPath:)") == true, "\(error?.message ?? "")")
    }

    /// Makes a key and a certificate for this machine.
    private static func make(
        _ name: String, in scratch: ScratchDirectory
    ) async throws -> TLSFiles {
        let files = TLSFiles(
            certificate: scratch.file("\(name).pem"), key: scratch.file("\(name).key"))
        let ending = try await onThread {
            let words = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", files.key.path,
                "-out", files.certificate.path,
            ]
            return try ChildProcess.run(
                URL(fileURLWithPath: "/usr/bin/env"), words, errors: .nothing)
        }
        guard ending == .exited(0) else { throw NotMade() }
        return files
    }

    private static func get(
        _ url: String, _ configure: (inout TLSConfiguration) throws -> Void
    ) async throws -> UInt {
        var tls = TLSConfiguration.makeClientConfiguration()
        try configure(&tls)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        // A handshake that fails will fail again.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = ["localhost": "127.0.0.1"]
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<UInt, any Error>
        do {
            let answer = try await client.execute(
                HTTPClientRequest(url: url), timeout: .minutes(5))
            _ = try await answer.body.collect(upTo: 1 << 20)
            result = .success(answer.status.code)
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    @Test func `is spoken to those who trust the certificate`() async throws {
        try await withScratchDirectory("tls") { scratch in
            let files = try await Self.make("server", in: scratch)
            let trusted = try NIOSSLCertificate.fromPEMFile(files.certificate.path)
            var configuration = ServerConfiguration(directory: try scratch.folder("tables"))
            configuration.tls = files
            try await RunningServer.run(configuration) { port in
                let url = "https://localhost:\(port)/healthz"
                for version in [TLSVersion.tlsv12, .tlsv13] {
                    let status = try await Self.get(url) {
                        $0.trustRoots = .certificates(trusted)
                        $0.minimumTLSVersion = version
                        $0.maximumTLSVersion = version
                    }
                    #expect(status == 200, "\(version)")
                }
                await #expect(throws: (any Error).self, "TLS 1.1 is too old.") {
                    try await Self.get(url) {
                        $0.trustRoots = .certificates(trusted)
                        $0.minimumTLSVersion = .tlsv1
                        $0.maximumTLSVersion = .tlsv11
                    }
                }
                await #expect(throws: (any Error).self, "Nobody else vouches for it.") {
                    try await Self.get(url) { _ in }
                }
                await #expect(throws: (any Error).self, "Plain HTTP is not answered.") {
                    try await Self.get("http://localhost:\(port)/healthz") { _ in }
                }
                // One who only connects, or talks nonsense, disturbs nobody.
                let silent = try RawConnection(port: port)
                let noise = try RawConnection(port: port)
                try await noise.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
                let status = try await Self.get(url) { $0.trustRoots = .certificates(trusted) }
                #expect(status == 200)
                silent.end()
                noise.end()
            }
        }
    }

    @Test func `does not start with files that cannot be used`() async throws {
        try await withScratchDirectory("tls") { scratch in
            let files = try await Self.make("one", in: scratch)
            let other = try await Self.make("two", in: scratch)
            let text = try scratch.write("no PEM", to: "text.pem")
            let none = scratch.file("none.pem")
            for (certificate, key, name) in [
                (none, files.key, "none.pem"), (text, files.key, "text.pem"),
                (files.certificate, none, "none.pem"), (files.certificate, text, "text.pem"),
                (files.certificate, other.key, "do not belong together"),
            ] {
                var configuration = ServerConfiguration(directory: try scratch.folder("tables"))
                configuration.tls = TLSFiles(certificate: certificate, key: key)
                let server = try TableServer(
                    configuration: configuration, logger: TestServer.quiet)
                let error = await #expect(throws: ServerError.self) { try await server.run() }
                #expect(error?.code == .invalidConfiguration)
                #expect(error?.message.contains(name) == true, "\(name)")
            }
        }
    }
}
