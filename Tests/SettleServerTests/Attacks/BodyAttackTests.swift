import Foundation
import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// Bodies that would take the server's time and memory.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Large bodies` {
    private static let secret = "0123456789abcdef0123456789abcdef"

    @Test func `of somebody who may not write are refused before they are sent`() async throws {
        try await withScratchDirectory("server") { scratch in
            let reader = try await TableServer.token(
                secret: Self.secret, subject: "ann", channels: [], now: Date())
            let configuration = ServerConfiguration(
                directory: scratch.url, authentication: .jwt(secret: Self.secret),
                bodyMaxBytes: 20 << 20)
            try await RunningServer.run(configuration) { port in
                for (method, path) in [
                    ("POST", "/tables/t"), ("PATCH", "/tables/t/a"), ("PUT", "/tables/t/a"),
                    ("POST", "/tables/t/operations/batch"),
                ] {
                    for (token, status) in [(reader, 403), (nil, 401)] {
                        let connection = try RawConnection(port: port)
                        defer { connection.end() }
                        // The body never comes.
                        try await connection.send(
                            RawRequest(method, path, token: token, length: 18 << 20).head)
                        let answer = try await connection.answerHead()
                        #expect(answer.status == status, "\(method) \(path)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        "Content-Type: text/plain", "X: no type",
        "Content-Type: application/json\r\nContent-Encoding: br",
    ])
    func `of somebody who may not write are refused for that, whatever their type and coding`(
        coding: String
    ) async throws {
        try await withScratchDirectory("server") { scratch in
            let reader = try await TableServer.token(
                secret: Self.secret, subject: "ann", channels: [], now: Date())
            let writer = try await TableServer.token(
                secret: Self.secret, subject: "bob", now: Date())
            let configuration = ServerConfiguration(
                directory: scratch.url, authentication: .jwt(secret: Self.secret))
            try await RunningServer.run(configuration) { port in
                for (method, path) in [
                    ("POST", "/tables/t"), ("PATCH", "/tables/t/a"), ("PUT", "/tables/t/a"),
                    ("POST", "/tables/t/operations/batch"),
                ] {
                    for (token, status) in [(reader, 403), (nil, 401), (writer, 415)] {
                        let connection = try RawConnection(port: port)
                        defer { connection.end() }
                        // The body never comes.
                        try await connection.send(
                            RawRequest(method, path, token: token, length: 9, coding: coding).head)
                        let answer = try await connection.answerHead()
                        #expect(answer.status == status, "\(method) \(path)")
                    }
                }
            }
        }
    }

    @Test func `for which there is no memory wait, and are refused after a while`() async throws {
        try await withScratchDirectory("server") { scratch in
            let clock = ManualClock()
            var configuration = ServerConfiguration(directory: scratch.url)
            configuration.bodyMemoryMaxBytes = 2 << 20
            configuration.clock = clock
            try await RunningServer.runOpen(configuration) { port, responder in
                let body = Array(
                    "{\"x\":\"\(String(repeating: "x", count: 900_000))\"}".utf8)
                let slow = try RawConnection(port: port)
                try await slow.send(RawRequest("POST", "/tables/t", length: body.count).head)
                try await slow.send(Array(body.dropLast(10)))
                while responder.intake.memory.used == 0 { await Task.yield() }
                // Of one sender there is room for one body of the longest.
                let second = try RawConnection(port: port)
                try await second.send(
                    RawRequest("POST", "/tables/t", length: body.count).head + body)
                await clock.sleepers(reach: 1)
                #expect(!second.hasBytes)
                clock.advance(by: .seconds(20))
                let refused = try await second.answerHead()
                #expect(refused.status == 503)
                #expect(refused.head.lowercased().contains("retry-after: 5"))
                second.end()
                // Small requests go on.
                let small = try RawConnection(port: port)
                try await small.send(
                    RawRequest("POST", "/tables/t", length: 2).head + Array("{}".utf8))
                #expect(try await small.answerHead().status == 201)
                small.end()
                // What a client holds that has gone is there for others.
                slow.end()
                let third = try RawConnection(port: port)
                try await third.send(
                    RawRequest("POST", "/tables/t", length: body.count).head + body)
                #expect(try await third.answerHead().status == 201)
                third.end()
            }
        }
    }

    @Test func `of one sender that come at once do not wait for each other for ever`() async throws
    {
        try await withScratchDirectory("server") { scratch in
            var configuration = ServerConfiguration(directory: scratch.url)
            // Room for one of them, while nobody's wait ends.
            configuration.bodyMemoryMaxBytes = 2 << 20
            configuration.clock = ManualClock()
            try await RunningServer.run(configuration) { port in
                let body = Array(
                    "{\"x\":\"\(String(repeating: "x", count: 900_000))\"}".utf8)
                let senders = try (0..<4).map { _ in try RawConnection(port: port) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for sender in senders {
                        group.addTask {
                            let head = RawRequest("POST", "/tables/t", length: body.count).head
                            try await sender.send(head + body)
                            #expect(try await sender.answerHead().status == 201)
                        }
                    }
                    try await group.waitForAll()
                }
                for sender in senders { sender.end() }
            }
        }
    }

    /// An item of so many small objects.
    private static func item(_ id: String, _ count: Int) -> JSONValue {
        ["id": .string(id), "a": .array((0..<count).map { ["b": .integer(Int64($0))] })]
    }

    @Test func `of many small objects come back as they were`() async throws {
        try await TestServer.run(bodyMaxBytes: 20 << 20) { server in
            let item = Self.item("a", 60_000)
            let inserted = try await server.send(.post, "/tables/t", item)
            #expect(inserted.status == 201)
            #expect(inserted.json?["a"] == item["a"])
            let changed = try await server.send(.patch, "/tables/t/a", ["n": 1])
            #expect(changed.json?["a"] == item["a"])
            #expect(changed.json?["n"] == 1)
            let replaced = try await server.send(.put, "/tables/t/a", Self.item("a", 30_000))
            #expect(replaced.status == 200)
            #expect(replaced.json?["n"] == nil)
            let read = try await server.send(.get, "/tables/t/a")
            #expect(read.bytes == replaced.bytes)
            let batch = try await server.send(
                .post, "/tables/t/operations/batch",
                [
                    "operations": [
                        ["op": "replace", "id": "a", "item": Self.item("a", 20_000)],
                        ["op": "insert", "id": "b", "item": Self.item("b", 20_000)],
                    ]
                ])
            let results = batch.json?["results"]
            #expect(results?[0]?["item"]?["a"] == Self.item("a", 20_000)["a"])
            #expect(results?[1]?["item"]?["a"] == Self.item("a", 20_000)["a"])
            // A conflict shows the item whole, too.
            let conflict = try await server.send(.post, "/tables/t", ["id": "b"])
            #expect(conflict.status == 409)
            #expect(conflict.json?["a"]?.arrayValue?.count == 20_000)
            let version3 = server.inVersion3
            let filtered = try await version3.list("t", [("$filter", "a/any(x: x/b eq 19999)")])
            #expect(filtered.ids == ["a", "b"])
        }
    }

    @Test func `are no JSON patches when they have very many values`() async throws {
        try await TestServer.run(bodyMaxBytes: 20 << 20, stores: [.directory]) { server in
            let server = server.inVersion3
            let type: HTTPFields = [.contentType: "application/json-patch+json"]
            let many = JSONValue.array((0..<250_000).map { .integer($0) })
            let patch: JSONValue = [["op": "add", "path": "/a", "value": many]]
            _ = try await server.send(.post, "/tables/t", ["id": "a"])
            #expect(
                try await server.send(.patch, "/tables/t/a", patch, headers: type).status == 413)
            _ = try await server.send(.post, "/tables/t", ["id": "b", "a": many])
            let refused = try await server.send(
                .patch, "/tables/t/b", [["op": "add", "path": "/n", "value": 1]], headers: type)
            #expect(refused.status == 413)
            #expect(refused.error?.contains("send the whole item") == true)
        }
    }
}
