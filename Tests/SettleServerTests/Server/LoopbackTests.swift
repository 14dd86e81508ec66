import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOCore
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// The whole server over real sockets of this machine.
@Suite(.serialized) struct `A server on a socket` {
    private static let headers: HTTPFields = [
        .zumoVersion: "2.0.0", .contentType: "application/json",
    ]

    private static func send(
        _ port: Int, _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil
    ) async throws -> (status: Int, json: JSONValue?) {
        try await TestClient.withClient(
            host: "127.0.0.1", port: port, configuration: .patient
        ) { client in
            let reply = try await client.execute(
                TestClient.Request(
                    path, method: method, authority: "localhost",
                    headers: headers,
                    body: body.map { ByteBuffer(bytes: JSONText.text(of: $0)) }))
            let bytes = reply.body.map { Array($0.readableBytesView) } ?? []
            return (reply.status.code, try? JSONText.value(from: bytes))
        }
    }

    @Test func `items outlive the server`() async throws {
        try await withScratchDirectory("server") { scratch in
            let configuration = ServerConfiguration(directory: scratch.url)
            let stored = try await RunningServer.run(configuration) { port in
                #expect(port > 0)
                let health = try await Self.send(port, .get, "/healthz")
                #expect(health.status == 200)
                let reply = try await Self.send(
                    port, .post, "/tables/Todo", ["id": "a", "text": "kept"])
                #expect(reply.status == 201)
                _ = try await Self.send(port, .post, "/tables/Todo", ["id": "b"])
                let deletion = try await Self.send(port, .delete, "/tables/Todo/b")
                #expect(deletion.status == 204)
                return reply.json
            }
            try await RunningServer.run(configuration) { port in
                let list = try await Self.send(port, .get, "/tables/Todo")
                #expect(list.json?[0] == stored)
                let all = try await Self.send(
                    port, .get, "/tables/Todo?$orderby=updatedAt&__includeDeleted=true")
                #expect(all.json?.arrayValue?.count == 2)
                // The clock of the table goes on where it was, whatever the computer's says.
                let update = try await Self.send(port, .patch, "/tables/Todo/a", ["n": 1])
                let last = try await Self.send(
                    port, .get, "/tables/Todo?$orderby=updatedAt%20desc&$top=1")
                #expect(last.json?[0]?["id"] == "a")
                #expect(update.json?["version"] != stored?["version"])
            }
        }
    }

    @Test func `a body over the limit and many requests on one connection`() async throws {
        try await withScratchDirectory("server") { scratch in
            let configuration = ServerConfiguration(directory: scratch.url, bodyMaxBytes: 10_000)
            try await RunningServer.run(configuration) { port in
                try await TestClient.withClient(
                    host: "127.0.0.1", port: port, configuration: .patient
                ) { client in
                    let long = ByteBuffer(repeating: UInt8(ascii: " "), count: 300_000)
                    for round in 0..<3 {
                        let refused = try await client.send(
                            .post,
                            "/tables/t", headers: Self.headers, body: long)
                        #expect(refused.status.code == 413, "\(round)")
                        let body = JSONText.text(of: ["id": .string("r\(round)")])
                        let stored = try await client.send(
                            .post,
                            "/tables/t", headers: Self.headers, body: ByteBuffer(bytes: body))
                        #expect(stored.status.code == 201, "\(round)")
                    }
                }
            }
        }
    }

    @Test func `a port that is taken is an error for both who wait`() async throws {
        try await withScratchDirectory("server") { scratch in
            try await RunningServer.run(
                ServerConfiguration(directory: try scratch.folder("one"))
            ) { port in
                let second = try TableServer(
                    configuration: ServerConfiguration(
                        directory: try scratch.folder("two"), port: port),
                    logger: TestServer.quiet)
                async let bound = second.boundPort()
                let error = await #expect(throws: ServerError.self) { try await second.run() }
                #expect(error?.code == .addressUnusable)
                #expect(error?.message.contains("127.0.0.1:\(port)") == true)
                #expect(error?.message.contains("another program") == true)
                do {
                    _ = try await bound
                    Issue.record("The port of a server that does not listen is known.")
                } catch let error as ServerError {
                    #expect(error.code == .addressUnusable)
                }
            }
        }
    }

    @Test func `a host that is not there is an error`() async throws {
        try await withScratchDirectory("server") { scratch in
            let server = try TableServer(
                configuration: ServerConfiguration(directory: scratch.url, host: "192.0.2.1"),
                logger: TestServer.quiet)
            let error = await #expect(throws: ServerError.self) { try await server.run() }
            #expect(error?.code == .addressUnusable)
        }
    }

    @Test func `a host that no one knows is an error in words`() async throws {
        try await withScratchDirectory("server") { scratch in
            let server = try TableServer(
                configuration: ServerConfiguration(directory: scratch.url, host: "nohost.invalid"),
                logger: TestServer.quiet)
            let error = await #expect(throws: ServerError.self) { try await server.run() }
            #expect(error?.code == .addressUnusable)
            #expect(error?.message.contains("nohost.invalid:0: no machine is known") == true)
            #expect(error?.message.contains("SocketAddressError") == false)
        }
    }

    @Test func `a directory that is a file is an error`() async throws {
        try await withScratchDirectory("server") { scratch in
            let file = try scratch.write("x", to: "file")
            for url in [file, file.appendingPathComponent("below")] {
                let server = try TableServer(
                    configuration: ServerConfiguration(directory: url), logger: TestServer.quiet)
                let error = await #expect(throws: ServerError.self) { try await server.run() }
                #expect(error?.code == .directoryUnusable)
                #expect(error?.message.contains(url.path) == true)
            }
        }
    }

    @Test func `a server runs once, and the wait for a port can be cancelled`() async throws {
        try await withScratchDirectory("server") { scratch in
            let server = try TableServer(
                configuration: ServerConfiguration(directory: scratch.url),
                logger: TestServer.quiet)
            let waiter = Task { try await server.boundPort() }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            let run = Task { try await server.run() }
            _ = try await server.boundPort()
            let error = await #expect(throws: ServerError.self) { try await server.run() }
            #expect(error?.code == .alreadyRun)
            run.cancel()
            _ = await run.result
        }
    }

    @Test(arguments: [
        ServerConfiguration(directory: URL(fileURLWithPath: "/x"), port: 65_536),
        ServerConfiguration(directory: URL(fileURLWithPath: "/x"), port: -1),
        ServerConfiguration(directory: URL(fileURLWithPath: "/x"), pageSizeDefault: 0),
        ServerConfiguration(directory: URL(fileURLWithPath: "/x"), topMax: 0),
        ServerConfiguration(directory: URL(fileURLWithPath: "/x"), bodyMaxBytes: 0),
        ServerConfiguration(directory: URL(fileURLWithPath: "/x"), attachmentMaxBytes: 0),
        ServerConfiguration(directory: URL(fileURLWithPath: "/x"), tableCountMax: 0),
    ])
    func `values that make no server are refused`(configuration: ServerConfiguration) {
        let error = #expect(throws: ServerError.self) {
            try TableServer(configuration: configuration)
        }
        #expect(error?.code == .invalidConfiguration)
    }
}
