import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// Clients that ask for much and do not read it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Slow readers` {
    private static func insert(_ count: Int, of bytes: Int, port: Int) async throws {
        for number in 0..<count {
            let connection = try RawConnection(port: port)
            defer { connection.end() }
            let text = JSONValue.string(String(repeating: "x", count: bytes))
            let body = JSONText.text(of: ["id": .string("\(number)"), "x": text])
            try await connection.send(
                RawRequest("POST", "/tables/t", length: body.count).head + body)
            #expect(try await connection.answerHead().status == 201)
        }
    }

    /// The length that the head of an answer names.
    private static func length(in head: String) -> Int? {
        head.lowercased().split(separator: "\r\n")
            .first { $0.hasPrefix("content-length: ") }
            .flatMap { Int($0.dropFirst("content-length: ".count)) }
    }

    @Test func `are let go when their time is over, and what they held is there for others`()
        async throws
    {
        try await withScratchDirectory("server") { scratch in
            let clock = ManualClock()
            var configuration = ServerConfiguration(directory: scratch.url)
            // A share of 8 MiB, of which one answer has at most 7.
            configuration.answerMemoryMaxBytes = 16 << 20
            configuration.clock = clock
            try await RunningServer.run(configuration) { port in
                try await Self.insert(16, of: 500_000, port: port)
                // All is quiet when only the return of memory is waited for.
                while clock.sleeperCount != 1 { await Task.yield() }
                // More than the system takes in between.
                let slow = try RawConnection(port: port, receiveBufferBytes: 64 << 10)
                try await slow.send(RawRequest("GET", "/tables/t").head)
                let head = try await slow.answerHead()
                #expect(head.status == 200)
                let length = try #require(Self.length(in: head.head))
                #expect((6 << 20)...(7 << 20) ~= length)
                await clock.sleepers(reach: 2)
                let seconds = 30 + length / (128 << 10)
                clock.advance(by: .seconds(seconds - 10))
                // Memory has been given back once, and the slow one has ten seconds left.
                #expect(clock.sleeperCount == 1)
                let second = try RawConnection(port: port)
                try await second.send(RawRequest("GET", "/tables/t").head)
                await clock.sleepers(reach: 2)
                #expect(!second.hasBytes)
                // Small answers go on.
                let small = try RawConnection(port: port)
                try await small.send(RawRequest("GET", "/tables/t?$select=id").head)
                #expect(try await small.answerHead().status == 200)
                small.end()
                clock.advance(by: .seconds(10))
                let rest = try await slow.receiveRest()
                #expect(rest.count < length)
                slow.end()
                let answer = try await second.answerHead()
                #expect(answer.status == 200)
                #expect(Self.length(in: answer.head) == length)
                var count = answer.bytes.count
                while count < length {
                    let more = try await second.receive(1 << 20)
                    guard !more.isEmpty else { break }
                    count += more.count
                }
                #expect(count == length)
                second.end()
            }
        }
    }

    /// Answers of a server whose clock stands still, and a connection of it.
    private static func answers(
        _ clock: ManualClock
    ) async throws -> (LargeResponses, NIOAsyncTestingChannel, Connection) {
        let turns = WorkTurns()
        let answers = LargeResponses(
            memory: SharedCapacity(total: 8 << 20, keepsRoom: true, clock: clock),
            threads: WorkThreads(count: 1, turns: turns), clock: clock)
        let clients = Connections()
        let channel = try await NIOAsyncTestingChannel { channel in
            try channel.pipeline.syncOperations.addHandler(clients.handler())
        }
        return (answers, channel, try #require(clients.connection(of: channel)))
    }

    @Test func `have no more time when an answer before is in the way`() async throws {
        let clock = ManualClock()
        let (answers, channel, connection) = try await Self.answers(clock)
        let lease = try #require(answers.memory.takeNow(1 << 20, for: .address("a")))
        let body = answers.body(
            [ByteBuffer(repeating: 0, count: 1 << 20)], lease, to: connection)
        // Nobody has begun to send it, and nobody will.
        await clock.sleepers(reach: 1)
        clock.advance(by: .seconds(30 + 8 - 1))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await channel.closeFuture.get()
        withExtendedLifetime(body) {}
        await answers.threads.end()
    }

    @Test func `are not waited for when an answer is not sent at all`() async throws {
        let clock = ManualClock()
        let (answers, channel, connection) = try await Self.answers(clock)
        do {
            let lease = try #require(answers.memory.takeNow(1 << 20, for: .address("a")))
            let body = answers.body(
                [ByteBuffer(repeating: 0, count: 1 << 20)], lease, to: connection)
            await clock.sleepers(reach: 1)
            withExtendedLifetime(body) {}
        }
        while clock.sleeperCount != 0 { await Task.yield() }
        #expect(answers.memory.used == 0)
        try await channel.close()
        await answers.threads.end()
    }

    @Test func `of the largest page leave room for the pages of others behind one proxy`()
        async throws
    {
        try await withScratchDirectory("server") { scratch in
            var configuration = ServerConfiguration(directory: scratch.url)
            configuration.answerMemoryMaxBytes = 16 << 20
            configuration.clock = ManualClock()
            let server = try TableServer(
                configuration: configuration, logger: TestServer.quiet)
            let parts = try await server.makeParts()
            let memory = parts.responder.answers.memory
            try await server.application(parts.responder).test(.router) { client in
                let server = TestServer(client: client, clock: StepClock())
                for number in 0..<8 {
                    let text = JSONValue.string(String(repeating: "x", count: 100_000))
                    let inserted = try await server.send(
                        .post, "/tables/t", ["id": .string("\(number)"), "x": text])
                    #expect(inserted.status == 201)
                }
                // Without tokens and a network all requests are of one sender.
                let sender = SenderKey(subject: nil, address: nil)
                let largest = try #require(memory.takeNow(.max, for: sender))
                let second = Task { try await memory.take(.max, for: sender).count }
                while memory.waitingCount < 1 { await Task.yield() }
                #expect(memory.used > 6 << 20)
                // Waits would not end, as the clock stands still.
                for top in [2, 3] {
                    let page = try await server.list("t", [("$top", "\(top)")])
                    #expect(page.status == 200)
                    #expect(page.ids?.count == top)
                }
                second.cancel()
                withExtendedLifetime(largest) {}
            }
            await parts.store.close()
            await parts.responder.intake.threads.end()
        }
    }
}
