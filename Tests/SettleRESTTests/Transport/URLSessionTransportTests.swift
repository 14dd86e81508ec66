import Foundation
import HTTPTypes
import SettleSync
import Testing

@testable import SettleREST

@Suite(.serialized) struct `URL session transport` {
    private func request(
        _ server: LoopbackServer, _ path: String, method: HTTPRequest.Method = .get
    ) -> HTTPRequest {
        var fields: HTTPFields = [.authorization: "Bearer secret"]
        fields[.ifMatch] = #""a\"b""#
        return HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: path,
            headerFields: fields)
    }

    private static func answer(_ body: String, status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `sends the path, the headers and the body as they are`() async throws {
        let server = try LoopbackServer { _ in Self.answer(#"{"a":1}"#, status: "201 Created") }
        defer { server.stop() }
        let transport = URLSessionTransport(timeoutSeconds: 10)
        let path = "/tables/t/b%2Fc%20d?$filter=id%20eq%20'it''s'%20%2B"
        let answer = try await transport.send(
            request(server, path, method: .patch), body: Array("{}".utf8), bodySizeMax: 100)
        #expect(answer.response.status.code == 201)
        #expect(answer.body == Array(#"{"a":1}"#.utf8))
        let head = try #require(server.requests.first)
        #expect(head.hasPrefix("PATCH \(path) HTTP/1.1\r\n"), "\(head)")
        #expect(head.contains(#"If-Match: "a\"b""#), "\(head)")
        #expect(head.lowercased().contains("content-length: 2"), "\(head)")
    }

    @Test func `does not take a request with a token to another origin`() async throws {
        let other = try LoopbackServer { _ in Self.answer("{}") }
        defer { other.stop() }
        let elsewhere = "http://127.0.0.1:\(other.port)/tables/t"
        let server = try LoopbackServer { path in
            switch path {
            case "/far":
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: \(elsewhere)\r\n"
                    + "Content-Length: 0\r\n\r\n"
            case "/near":
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"
            default: Self.answer(#""there""#)
            }
        }
        defer { server.stop() }
        let transport = URLSessionTransport(timeoutSeconds: 10)
        let far = try await transport.send(
            request(server, "/far"), body: nil, bodySizeMax: 100)
        #expect(far.response.status.code == 307)
        #expect(other.requests.isEmpty)
        let near = try await transport.send(
            request(server, "/near"), body: nil, bodySizeMax: 100)
        #expect(near.body == Array(#""there""#.utf8))
        let write = try await transport.send(
            request(server, "/near", method: .post), body: Array("{}".utf8), bodySizeMax: 100)
        #expect(write.response.status.code == 307)
    }

    @Test func `reads no more of an answer than it may`() async throws {
        let server = try LoopbackServer { _ in
            Self.answer(String(repeating: "x", count: 200_000))
        }
        defer { server.stop() }
        let transport = URLSessionTransport(timeoutSeconds: 10)
        await #expect {
            try await transport.send(request(server, "/"), body: nil, bodySizeMax: 1_000)
        } throws: {
            ($0 as? ReplicationError)?.code == .answerTooLarge
        }
    }

    @Test func `calls a server unreachable that closes, or says nothing, or is not there`()
        async throws
    {
        let closing = try LoopbackServer { _ in nil }
        let silent = try LoopbackServer { _ in "" }
        let gone = try LoopbackServer { _ in nil }
        gone.stop()
        defer {
            closing.stop()
            silent.stop()
        }
        let transport = URLSessionTransport(timeoutSeconds: 1)
        for server in [closing, silent, gone] {
            await #expect {
                try await transport.send(request(server, "/"), body: nil, bodySizeMax: 1_000)
            } throws: {
                ($0 as? ReplicationError)?.code == .unreachable
            }
        }
    }

    @Test func `gives up a request when its task is cancelled`() async throws {
        let silent = try LoopbackServer { _ in "" }
        defer { silent.stop() }
        let transport = URLSessionTransport(timeoutSeconds: 60)
        let task = Task {
            try await transport.send(request(silent, "/"), body: nil, bodySizeMax: 1_000)
        }
        while silent.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect {
            try await task.value
        } throws: {
            ($0 as? ReplicationError)?.code == .cancelled
        }
    }
}
