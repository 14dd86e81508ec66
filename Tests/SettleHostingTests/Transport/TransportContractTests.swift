import Foundation
import HTTPTypes
import SettleREST
import SettleSync
import Testing

/// What every transport does, over real sockets.
@Suite(.timeLimit(.minutes(60))) struct `Every transport` {
    @Test(arguments: TransportKind.allCases)
    func `carries request and answer as they are`(kind: TransportKind) async throws {
        let bytes = (0...255).map { UInt8($0) }
        try await WireServer.run { _, wire in
            wire.send("HTTP/1.1 201 Created\r\nETag: \"x\\\"y\"\r\nX-Twice: 1\r\nX-Twice: 2\r\n")
            wire.send(Array("Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes)
        } _: { server in
            let path = "/tables/t/b%2Fc%20d?$filter=id%20eq%20'it''s'%20%2B"
            let answer = try await kind.run {
                try await $0.ask(server, path, .patch, body: Array(bytes.reversed()))
            }
            #expect(answer.head.status.code == 201)
            #expect(answer.head.headerFields[.eTag] == #""x\"y""#)
            let twice = try #require(HTTPField.Name("X-Twice"))
            #expect(
                answer.head.headerFields[twice]?.replacing(" ", with: "") == "1,2")
            #expect(answer.body == bytes)
            let asked = try #require(server.asked.first)
            #expect(asked.head.hasPrefix("PATCH \(path) HTTP/1.1\r\n"), "\(asked.head)")
            #expect(asked.header("If-Match") == #""a\"b""#)
            #expect(asked.header("Authorization") == "Bearer secret")
            #expect(asked.header("Cookie") == nil)
            #expect(asked.body == bytes.reversed())
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `takes answers without a body`(kind: TransportKind) async throws {
        try await WireServer.run { asked, wire in
            wire.send(
                asked.path == "/204"
                    ? "HTTP/1.1 204 No Content\r\n\r\n"
                    : "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n")
        } _: { server in
            try await kind.run { transport in
                for code in [204, 304] {
                    let answer = try await transport.ask(server, "/\(code)")
                    #expect(answer.head.status.code == code)
                    #expect(answer.body == [])
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `hands errors of the server on as answers`(kind: TransportKind) async throws {
        try await WireServer.run { asked, wire in
            wire.send(
                WireAnswer.json("<html>", status: "\(asked.path.dropFirst()) X", fields: "A: b\r\n")
            )
        } _: { server in
            try await kind.run { transport in
                for code in [400, 401, 403, 404, 407, 409, 412, 429, 500, 503] {
                    let answer = try await transport.ask(server, "/\(code)")
                    #expect(answer.head.status.code == code)
                    #expect(answer.body == Array("<html>".utf8))
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `hands on the answer of a server that asks for a password`(
        kind: TransportKind
    ) async throws {
        try await WireServer.run { _, wire in
            wire.send(
                WireAnswer.json(
                    "{}", status: "401 Unauthorized",
                    fields: "WWW-Authenticate: Basic realm=\"x\"\r\n"))
        } _: { server in
            try await kind.run { transport in
                for _ in 0..<2 {
                    let answer = try await transport.ask(server, "/x")
                    #expect(answer.head.status.code == 401)
                    #expect(answer.body == Array("{}".utf8))
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `puts chunks together`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            wire.send("4;x=y\r\ndefg\r\n0\r\n\r\n")
        } _: { server in
            let answer = try await kind.run { try await $0.ask(server) }
            #expect(answer.body == Array("abcdefg".utf8))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `takes a body that ends with the connection`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
            wire.close()
        } _: { server in
            try await kind.run { transport in
                for _ in 0..<2 {
                    let answer = try await transport.ask(server)
                    #expect(answer.body == Array("abc".utf8))
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `reads no more of an answer than it may`(kind: TransportKind) async throws {
        try await WireServer.run { asked, wire in
            if asked.path == "/chunks" {
                wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                for _ in 0..<20 {
                    wire.send("2710\r\n\(String(repeating: "x", count: 10_000))\r\n")
                }
            } else {
                wire.send(WireAnswer.json(String(repeating: "x", count: 200_000)))
            }
        } _: { server in
            try await kind.run { transport in
                for path in ["/chunks", "/length"] {
                    let error = await transport.failure(server, path, bodySizeMax: 199_999)
                    #expect(error?.code == .responseTooLarge)
                }
                let answer = try await transport.ask(server, "/length", bodySizeMax: 200_000)
                #expect(answer.body.count == 200_000)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `unfolds what comes compressed, as far as it may`(kind: TransportKind) async throws {
        let small = try #require(Data(base64Encoded: "H4sIAAAAAAAAA6tWSlSyMqwFAK+sG1YHAAAA"))
        let bomb = try #require(
            Data(
                base64Encoded: "H4sIAAAAAAACA+3BMQEAAADCoPVPbQhfo"
                    + String(repeating: "A", count: 1_355) + "PgMc6jinAAAQAA=="))
        try await WireServer.run { asked, wire in
            switch asked.path {
            case "/small": wire.send(WireAnswer.compressed([UInt8](small)))
            case "/bomb": wire.send(WireAnswer.compressed([UInt8](bomb)))
            default: wire.send(WireAnswer.compressed([UInt8](small.prefix(14))))
            }
        } _: { server in
            try await kind.run { transport in
                let answer = try await transport.ask(server, "/small")
                #expect(answer.body == Array(#"{"a":1}"#.utf8))
                let asked = try #require(server.asked.first)
                #expect(asked.header("Accept-Encoding")?.contains("gzip") == true)
                let whole = try await transport.ask(server, "/bomb", bodySizeMax: 1 << 20)
                #expect(whole.body.count == 1 << 20)
                let error = await transport.failure(server, "/bomb", bodySizeMax: 100_000)
                #expect(error?.code == .responseTooLarge)
            }
        }
    }

    @Test(arguments: TransportKind.proofAgainstBrokenHeads)
    func `passes by what stands behind the last chunk`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            wire.send("0\r\nTrailer: z\r\n\r\n")
        } _: { server in
            let answer = try await kind.run { try await $0.ask(server) }
            #expect(answer.body == Array("abc".utf8))
        }
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        ])
    func `calls it a failure when an answer is cut`(
        kind: TransportKind, text: String
    ) async throws {
        try await failsWhenCut(kind, text)
    }

    @Test(
        arguments: TransportKind.proofAgainstBrokenHeads,
        ["HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nA: b\r\n"])
    func `calls it a failure when a head is cut`(kind: TransportKind, text: String) async throws {
        try await failsWhenCut(kind, text)
    }

    private func failsWhenCut(_ kind: TransportKind, _ text: String) async throws {
        try await WireServer.run { asked, wire in
            wire.send(text)
            wire.close()
        } _: { server in
            try await kind.run { transport in
                let error = await transport.failure(server)
                #expect(error?.code == .unreachable)
                #expect(error?.message.contains("127.0.0.1") == true)
                #expect(error?.cause != nil)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `calls it a failure when the answer is no HTTP`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send("SSH-2.0-OpenSSH_9.6\r\nwhatever\r\n\r\n")
            wire.close()
        } _: { server in
            let error = try await kind.run { await $0.failure(server) }
            #expect(error?.isRetryable == true)
        }
    }
}
