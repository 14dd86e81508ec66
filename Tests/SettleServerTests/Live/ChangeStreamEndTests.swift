import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

/// When a stream of changes ends, although its reader would go on.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `The end of a stream of changes` {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private static func write(_ port: Int, _ id: String, _ token: String) async throws {
        let reply = try await RawExchange.send(
            "POST /tables/t",
            [
                "ZUMO-API-VERSION: 2.0.0", "Content-Type: application/json",
                "Authorization: Bearer \(token)",
            ], Array("{\"id\":\"\(id)\"}".utf8), to: port)
        try #require(reply.status == 201)
    }

    /// What is left of a stream, until the server ends it.
    private static func rest(of stream: EventStream) async throws -> String {
        String(decoding: try await stream.connection.receiveRest(), as: UTF8.self)
    }

    @Test(arguments: TestStore.all)
    func `comes before the first change behind the end of its token`(
        store: TestStore
    ) async throws {
        let time = StepClock()
        let root = try await TableServer.token(
            secret: Self.secret, subject: "root", expiresIn: .seconds(100_000), now: time.date)
        let brief = try await TableServer.token(
            secret: Self.secret, subject: "ann", expiresIn: .seconds(1_000), now: time.date)
        try await store.with { store in
            var configuration = ServerConfiguration(
                store: store, authentication: .jwt(secret: Self.secret), now: { time.date })
            // Nothing ends by itself: what is looked at is each delivery.
            configuration.clock = ManualClock()
            try await RunningServer.run(configuration) { port in
                try await Self.write(port, "a", root)
                var stream = try await EventStream(
                    port: port, "/tables/t/changes?since=0",
                    headers: ["Authorization": "Bearer \(brief)", "Connection": "close"])
                let first = try await stream.next(with: "data")
                #expect(first.item?["id"] == "a")
                time.advance(microseconds: 999_000_000)
                try await Self.write(port, "b", root)
                let second = try await stream.next(with: "data")
                #expect(second.item?["id"] == "b")
                time.advance(microseconds: 1_000_000)
                try await Self.write(port, "c", root)
                let rest = try await Self.rest(of: stream)
                #expect(!rest.contains("data:") && rest.hasSuffix("0\r\n\r\n"))
                stream.connection.end()
            }
        }
    }

    @Test func `comes when the token ends, without a change`() async throws {
        let (time, clock) = (StepClock(), ManualClock())
        let brief = try await TableServer.token(
            secret: Self.secret, subject: "ann", expiresIn: .seconds(10), now: time.date)
        try await withScratchDirectory("server") { scratch in
            var configuration = ServerConfiguration(
                directory: scratch.url, authentication: .jwt(secret: Self.secret),
                now: { time.date })
            configuration.clock = clock
            try await RunningServer.run(configuration) { port in
                var stream = try await EventStream(
                    port: port, "/tables/t/changes?since=0",
                    headers: ["Authorization": "Bearer \(brief)", "Connection": "close"])
                _ = try await stream.next(with: "id")
                // The end, the next sign of life, the next look for the table.
                await clock.sleepers(reach: 3)
                time.advance(microseconds: 10_000_000)
                clock.advance(by: .seconds(10))
                #expect(try await Self.rest(of: stream).hasSuffix("0\r\n\r\n"))
                stream.connection.end()
            }
        }
    }

    @Test func `comes with a sign of life when the key of its token is none any more`()
        async throws
    {
        let before = try await TestKey.elliptic("before")
        let after = try await TestKey.elliptic("after")
        let (time, clock) = (StepClock(), ManualClock())
        try await withScratchDirectory("server") { scratch in
            let file = try scratch.write(TestKey.set(before), to: "keys.json")
            let token = try before.token(
                ["sub": "ann", "exp": .integer(Int64(time.date.timeIntervalSince1970) + 90_000)])
            let uptime = Mutex(Duration.zero)
            var configuration = ServerConfiguration(
                directory: try scratch.folder("tables"),
                authentication: .jwt(keySetFile: file), now: { time.date })
            configuration.clock = clock
            configuration.elapsed = { uptime.withLock { $0 } }
            try await RunningServer.run(configuration) { port in
                var stream = try await EventStream(
                    port: port, "/tables/t/changes?since=0",
                    headers: ["Authorization": "Bearer \(token)", "Connection": "close"])
                _ = try await stream.next(with: "id")
                try scratch.write(TestKey.set(after), to: "keys.json")
                // Keys are read again after ten minutes, while the old ones go on.
                uptime.withLock { $0 = .seconds(601) }
                var text = ""
                for _ in 0..<50 where !text.hasSuffix("0\r\n\r\n") {
                    await clock.sleepers(reach: 3)
                    clock.advance(by: .seconds(15))
                    let more = try await stream.connection.receive(1 << 12)
                    text += String(decoding: more, as: UTF8.self)
                }
                #expect(text.hasSuffix("0\r\n\r\n"))
                stream.connection.end()
            }
        }
    }
}
