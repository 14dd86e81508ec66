import AsyncHTTPClient
import Foundation
import HTTPTypes
import Logging
import ServiceLifecycle
import SettleHosting
import SettleREST
import SettleSync
import Testing

@Suite(.timeLimit(.minutes(60))) struct `AsyncHTTPClient transport` {
    @Test func `fails in plain words after it was shut down, once or twice`() async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { server in
            let transport = AsyncHTTPClientTransport()
            _ = try await transport.ask(server)
            await transport.shutdown()
            await transport.shutdown()
            let error = await transport.failure(server)
            #expect(error?.code == .misconfigured)
            #expect(error?.message.contains("shut down") == true)
        }
    }

    @Test func `ends its connections when nobody has it any more`() async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { server in
            // AsyncHTTPClient traps when a client is let go of that runs.
            for _ in 0..<5 {
                _ = try await AsyncHTTPClientTransport(timeoutSeconds: .infinity).ask(server)
            }
            _ = AsyncHTTPClientTransport(
                pins: try PublicKeyPins(["localhost": [TestCertificate.first.pin]]))
        }
    }

    @Test func `gives up what is under way when it is shut down`() async throws {
        try await WireServer.run({ _, _ in }) { server in
            let transport = AsyncHTTPClientTransport()
            let task = Task { await transport.failure(server) }
            for await _ in server.arrivals { break }
            await transport.shutdown()
            #expect(await task.value != nil)
        }
    }

    @Test func `follows no redirection to elsewhere, whatever its configuration says`()
        async throws
    {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { other in
            let place = "http://127.0.0.1:\(other.port)/"
            try await WireServer.run { _, wire in
                wire.send(WireAnswer.redirection(to: place))
            } _: { server in
                var configuration = HTTPClient.Configuration()
                configuration.redirectConfiguration = .follow(max: 5, allowCycles: true)
                let transport = AsyncHTTPClientTransport(configuration: configuration)
                let answer = try await transport.ask(server)
                #expect(answer.head.status.code == 307)
                await transport.shutdown()
            }
            #expect(other.asked.isEmpty)
        }
    }

    @Test func `is a service that ends with its group`() async throws {
        let transport = AsyncHTTPClientTransport()
        let group = ServiceGroup(
            services: [transport], logger: .init(label: "test"))
        async let running: Void = group.run()
        await group.triggerGracefulShutdown()
        try await running
        await #expect(throws: ReplicationError.self) {
            try await transport.ask(authority: "127.0.0.1:1")
        }
    }
}
