import Foundation
import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// Reads that would take the server's time and memory.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Costly reads` {
    private static func insert(_ item: JSONValue, port: Int) async throws {
        let connection = try RawConnection(port: port)
        defer { connection.end() }
        let body = JSONText.text(of: item)
        try await connection.send(
            RawRequest("POST", "/tables/t", length: body.count).head + body)
        #expect(try await connection.answerHead().status == 201)
    }

    @Test(arguments: [Int.max, Int.max - 1, Int.max - 1_000])
    func `pass by as many rows as a number can say, and find none`(skip: Int) async throws {
        try await TestServer.run { server in
            _ = try await server.send(.post, "/tables/t", ["id": "a"])
            for server in [server, server.inVersion3] {
                for order in ["id", "updatedAt", "updatedAt,id", "n"] {
                    for top in [nil, "1", "50", "1000"] as [String?] {
                        var query = [("$orderby", order), ("$skip", "\(skip)")]
                        if let top { query.append(("$top", top)) }
                        let path = "/tables/t?" + query.map { "\($0)=\($1)" }.joined(separator: "&")
                        let reply = try await server.send(.get, path)
                        // More than can be sorted to be passed by are refused.
                        #expect([200, 400].contains(reply.status), "\(path)")
                    }
                }
            }
            #expect(try await server.send(.get, "/tables/t/a").status == 200)
        }
    }

    private static let nested =
        "/tables/t?$filter=a%2Fany(x:a%2Fany(y:a%2Fany(z:z%20eq%20-1)))&ZUMO-API-VERSION=3.0.0"

    private static var nestedRequest: [UInt8] {
        let text = String(decoding: RawRequest("GET", nested).head, as: UTF8.self)
        return Array(text.replacing("ZUMO-API-VERSION: 2.0.0\r\n", with: "").utf8)
    }

    @Test func `do not keep another client's list waiting, and are refused`() async throws {
        try await withScratchDirectory("server") { scratch in
            try await RunningServer.run(ServerConfiguration(directory: scratch.url)) { port in
                let numbers = JSONValue.array((0..<20_000).map { .integer($0) })
                try await Self.insert(["id": "a", "a": numbers], port: port)
                // On a busy machine the test itself may be kept waiting until they are done.
                var hasOvertaken = false
                for _ in 0..<5 where !hasOvertaken {
                    let attackers = try (0..<15).map { _ in try RawConnection(port: port) }
                    for attacker in attackers { try await attacker.send(Self.nestedRequest) }
                    let other = try RawConnection(port: port)
                    try await other.send(RawRequest("GET", "/tables/t?$select=id").head)
                    #expect(try await other.answerHead().status == 200)
                    // All of them had begun before, and take far more time than the list.
                    hasOvertaken = attackers.contains { !$0.hasBytes }
                    let refusal = try #require(attackers.first)
                    #expect(try await refusal.answerHead().status == 400)
                    // Closing a connection ends its request.
                    for attacker in attackers { attacker.end() }
                    other.end()
                }
                #expect(hasOvertaken)
            }
        }
    }

    @Test func `however many, do not keep a short list of the same address waiting`() async throws {
        try await withScratchDirectory("server") { scratch in
            try await RunningServer.run(ServerConfiguration(directory: scratch.url)) { port in
                let numbers = JSONValue.array((0..<20_000).map { .integer($0) })
                try await Self.insert(["id": "a", "a": numbers], port: port)
                // More than begin at once.
                let attackers = try (0..<40).map { _ in try RawConnection(port: port) }
                for attacker in attackers { try await attacker.send(Self.nestedRequest) }
                // The server has begun with them.
                while !attackers.contains(where: \.hasBytes) { await Task.yield() }
                let other = try RawConnection(port: port)
                try await other.send(RawRequest("GET", "/tables/t?$select=id").head)
                #expect(try await other.answerHead().status == 200)
                // In their order it would have come when 25 of them were done.
                #expect(attackers.count(where: \.hasBytes) < 24)
                for attacker in attackers { attacker.end() }
                other.end()
            }
        }
    }

    @Test func `end when their client hangs up`() async throws {
        try await withScratchDirectory("server") { scratch in
            try await RunningServer.run(ServerConfiguration(directory: scratch.url)) { port in
                try await Self.insert(["id": "a"], port: port)
                func liveReaders() async throws -> String? {
                    let connection = try RawConnection(port: port)
                    defer { connection.end() }
                    try await connection.send(RawRequest("GET", "/metrics").head)
                    var text = ""
                    let answer = try await connection.answerHead()
                    text = String(decoding: answer.bytes, as: UTF8.self)
                    while !text.contains("settle_live_readers ") {
                        text += String(
                            decoding: try await connection.receive(1 << 16), as: UTF8.self)
                    }
                    return text.split(separator: "\n").first {
                        $0.hasPrefix("settle_live_readers ")
                    }.map(String.init)
                }
                let poll = try RawConnection(port: port)
                try await poll.send(RawRequest("GET", "/tables/t/changes?wait=300").head)
                while try await liveReaders() != "settle_live_readers 1" {}
                poll.end()
                // Long before its wait is over.
                while try await liveReaders() != "settle_live_readers 0" {}
            }
        }
    }

    @Test(arguments: ProtocolVersion.all)
    func `of large pages have the bytes of small ones`(version: ProtocolVersion) async throws {
        try await TestServer.run { server in
            var server = server
            server.version = version
            let operations = (0..<600).map { number -> JSONValue in
                let text = JSONValue.string(String(repeating: "é\n", count: 300))
                return [
                    "op": "insert",
                    "item": [
                        "id": .string(String(1_000 + number)), "n": .integer(Int64(number)),
                        "x": text,
                    ],
                ]
            }
            let batch = try await server.send(
                .post, "/tables/t/operations/batch", ["operations": .array(operations)])
            #expect(batch.status == 200)
            for order in ["id", "updatedAt", "n desc"] {
                let options = [("$orderby", order), ("$top", "500")]
                let count = version == .version3 ? ("$count", "true") : ("$inlinecount", "allpages")
                let page = try await server.list("t", options + [count])
                #expect(page.headers[.contentLength] == "\(page.bytes.count)")
                #expect(page.json?["count"] == 600)
                var small: [JSONValue] = []
                for skip in stride(from: 0, to: 500, by: 50) {
                    let part = try await server.list(
                        "t", [("$orderby", order), ("$top", "50"), ("$skip", "\(skip)")])
                    small += (part.json?["items"] ?? part.json)?.arrayValue ?? []
                }
                #expect((page.json?["results"] ?? page.json?["items"])?.arrayValue == small)
                #expect(small.count == 500)
            }
        }
    }
}

@Suite struct `Memory that was used` {
    #if os(Linux) && canImport(Glibc)
        @Test func `is given back by the C library`() {
            #expect(MemoryReturn.trim())
        }
    #endif

    @Test func `is given back once when large requests are over`() async throws {
        let clock = ManualClock()
        let (trims, trim) = AsyncStream.makeStream(of: Void.self)
        let memory = MemoryReturn(clock: clock) { trim.yield() }
        memory.note()
        memory.note()
        await clock.sleepers(reach: 1)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        for await _ in trims { break }
        memory.note()
        await clock.sleepers(reach: 1)
        clock.advance(by: .seconds(1))
        for await _ in trims { break }
    }
}
