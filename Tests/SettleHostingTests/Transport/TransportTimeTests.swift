import Foundation
import HTTPTypes
import NIOCore
import SettleREST
import SettleSync
import Testing

/// What every transport does when time plays a part.
@Suite(.timeLimit(.minutes(60))) struct `Every transport, in time` {
    @Test(arguments: TransportKind.allCases, ["/never", "/head", "/body"])
    func `notices that nothing comes any more`(kind: TransportKind, path: String) async throws {
        try await WireServer.run { asked, wire in
            switch asked.path {
            case "/head": wire.send("HTTP/1.1 200 OK\r\nContent-")
            case "/body": wire.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            default: break
            }
        } _: { server in
            let error = try await kind.run(timeoutSeconds: 1) { await $0.failure(server, path) }
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("took too long") == true, "\(error?.message ?? "")")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `waits for an answer that keeps coming`(kind: TransportKind) async throws {
        // In all it takes longer than nothing may come for.
        let parts = (0..<8).map { "\($0)" }
        try await WireServer.run { _, wire in
            wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(parts.count)\r\n\r\n")
            wire.drip(parts, pause: .milliseconds(8_000))
        } _: { server in
            let answer = try await kind.run(timeoutSeconds: 60) { try await $0.ask(server) }
            #expect(answer.body == Array("01234567".utf8))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `sends nothing when the task is cancelled already`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { server in
            try await kind.run { transport in
                let code = await withTaskGroup(of: ReplicationError?.self) { group in
                    group.cancelAll()
                    group.addTask { await transport.failure(server) }
                    return await group.next()??.code
                }
                #expect(code == .cancelled)
            }
            #expect(server.asked.isEmpty)
        }
    }

    @Test(arguments: TransportKind.allCases, ["/never", "/head", "/body"])
    func `gives up when the task is cancelled meanwhile`(
        kind: TransportKind, path: String
    ) async throws {
        try await WireServer.run { asked, wire in
            switch asked.path {
            case "/head": wire.send("HTTP/1.1 200 OK\r\nContent-")
            case "/body": wire.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            default: break
            }
        } _: { server in
            try await kind.run { transport in
                let task = Task { await transport.failure(server, path) }
                for await _ in server.arrivals { break }
                task.cancel()
                #expect(await task.value?.code == .cancelled)
                // The transport goes on working for others.
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `ends once, whenever it is cancelled`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { server in
            try await kind.run { transport in
                for round in 0..<60 {
                    let task = Task { await transport.failure(server) }
                    for _ in 0..<(round * 3) { await Task.yield() }
                    task.cancel()
                    let error = await task.value
                    #expect(error == nil || error?.code == .cancelled, "round \(round)")
                }
                let answer = try await transport.ask(server)
                #expect(answer.head.status.code == 200)
            }
        }
    }
}
