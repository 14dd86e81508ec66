import Foundation
import HTTPTypes
import Logging
import ServiceLifecycle
import Settle
import SettleHosting
import SettleREST
import SettleSync
import TestSupport
import Testing

/// The code of the guide to transports, run against a server of its own.
@Suite(.timeLimit(.minutes(60))) struct `Transports guide` {
    struct Signature: HTTPInterceptor {
        let sign: @Sendable ([UInt8]) -> String

        func prepare(_ request: inout HTTPRequest, body: inout [UInt8]?) async throws {
            guard let name = HTTPField.Name("X-Signature") else { return }
            request.headerFields[name] = sign(body ?? [])
        }
    }

    /// A remote that has nothing.
    private struct EmptyBackend: Backend {
        let identifier = "empty"
        let pulled: AsyncStream<Void>.Continuation

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            pulled.yield()
            return PullPage(items: [], token: nil, isLast: true)
        }

        func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
            .rejected(reason: "Nothing is taken.")
        }
    }

    @Test func `writes a predicate`() throws {
        let predicate: ODataPredicate =
            .field("population") > 1000 && .field("country") == "DE"
            || .field("name").startsWith("Gar")
        print(try predicate.text(for: .v3))
        #expect(
            try predicate.text(for: .v3)
                == "population gt 1000 and country eq 'DE' or startswith(name,'Gar')")
    }

    @Test func `signs requests`() async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { server in
            let transport = AsyncHTTPClientTransport()
            let sign: @Sendable ([UInt8]) -> String = { "\($0.count) bytes" }
            let signed = InterceptedTransport(transport, interceptors: [Signature(sign: sign)])
            _ = try await signed.ask(server, "/", .post, body: [1, 2, 3])
            #expect(server.asked.first?.header("X-Signature") == "3 bytes")
            await transport.shutdown()
        }
    }

    @Test func `replicates as a service`() async throws {
        let scratch = try ScratchDirectory("hosting-guide")
        let opening = Database.OpenDatabaseConfiguration(
            name: "db", fileLocation: scratch.url,
            completionQueue: DispatchQueue(label: "settle.tests.completion"))
        let database = try #require(try await Database.open(with: opening, create: true))
        let url = try #require(URL(string: "https://example.org/tables/notes"))
        let configuration = ReplicationConfiguration.repeatingBidirectionalReplication(with: url)
        let (pulls, pulled) = AsyncStream<Void>.makeStream()
        let backend = EmptyBackend(pulled: pulled)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let (pin, spare) = (TestCertificate.first.pin, TestCertificate.second.pin)

        let pins = try PublicKeyPins(["example.org": [pin, spare]])
        let transport = AsyncHTTPClientTransport(timeoutSeconds: 30, pins: pins)
        let service = ReplicationService(database, configuration: configuration, backend: backend)
        let group = ServiceGroup(services: [transport, service], logger: logger)
        let stopping = Task {
            for await _ in pulls { break }
            await group.triggerGracefulShutdown()
        }
        try await group.run()
        await stopping.value
        #expect(database.replications.isEmpty)
    }

    @Test func `shows no line that is not compiled here`() throws {
        let code = try GuideCode(of: "Docs/Guides/Transports.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 10)
    }
}
