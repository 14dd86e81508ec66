import Foundation
import HTTPTypes
import Logging
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Hostile input` {
    @Test func `random bytes as bodies, paths and queries are answered below 500`() async throws {
        try await TestServer.run { server in
            var generator = SeededGenerator()
            _ = try await server.send(.post, "/tables/t", ["id": "a", "text": "x"])
            let pieces = [
                "%", "%00", "%2F", "/", "..", "?", "&", "=", "$filter", "$top", "'", "(", ")", "a",
                " eq ", "or", "1", "%F0%9F%98%80", "%FF", ";", "--", "tables", "t", "$orderby",
                "__includeDeleted", "true", "/attachments/", "attachments", "\\", "\"", "%27",
                "%20", "updatedAt", "#", "+",
            ]
            let methods: [HTTPRequest.Method] = [.get, .post, .patch, .delete, .put, .head]
            for _ in 0..<600 {
                let count = Int.random(in: 0..<10, using: &generator)
                let tail = (0..<count).map { _ in
                    pieces.randomElement(using: &generator) ?? ""
                }.joined()
                let path =
                    ["/tables/t?", "/tables/t/", "/tables/", "/"]
                    .randomElement(using: &generator) ?? "/"
                let bytes = (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
                    Array("{}[]\":,0a\\u\u{0}'".utf8).randomElement(using: &generator) ?? 0xFF
                }
                let method = methods.randomElement(using: &generator) ?? .get
                let reply = try await server.send(method, path + tail, bytes: bytes)
                #expect(
                    reply.status < 500,
                    "\(method) \(path + tail) \(bytes) \(reply.status), \(generator)")
                #expect(
                    reply.status < 400 || method == .head || reply.json != nil,
                    "\(path + tail), \(generator)")
            }
        }
    }

    @Test(arguments: [
        "{\"a\":1,\"a\":2}", "{\"a\":\"\\ud800\"}", "{\"a\":1e999}", "{\"a\":99999999999999999999}",
        "{\"a\":NaN}", "{'a':1}", "{\"a\":1,}", "\u{FEFF}{}", "{\"a\":\"\u{1}\"}", "{\"id\":1}",
        "{\"id\":[\"a\"]}", "{\"version\":1}", "{\"id\":true}",
    ])
    func `bodies that are not quite JSON or not quite items are 400`(body: String) async throws {
        try await TestServer.run { server in
            for (method, path) in [
                (HTTPRequest.Method.post, "/tables/t"), (.patch, "/tables/t/a"),
            ] {
                let reply = try await server.send(method, path, bytes: Array(body.utf8))
                #expect(reply.status == 400, "\(method)")
                #expect(reply.error != nil)
            }
        }
    }

    @Test func `bytes that are not UTF-8 are 400`() async throws {
        try await TestServer.run { (server) async throws in
            let bytes = Array("{\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
            #expect(try await server.send(.post, "/tables/t", bytes: bytes).status == 400)
            #expect(try await server.send(.get, "/tables/t?$filter=%FF").status == 400)
            #expect(try await server.send(.get, "/tables/%FF").status == 400)
            #expect(try await server.send(.get, "/tables/t/%FF").status == 400)
        }
    }

    @Test func `deep bodies are taken to a limit and then refused`() async throws {
        try await TestServer.run { server in
            for (depth, status) in [(499, 201), (500, 400), (100_000, 400)] {
                let text =
                    "{\"a\":" + String(repeating: "[", count: depth)
                    + String(repeating: "]", count: depth) + "}"
                let reply = try await server.send(.post, "/tables/t", bytes: Array(text.utf8))
                #expect(reply.status == status, "\(depth)")
            }
        }
    }

    @Test(arguments: [
        "'; DROP TABLE t; --", "1 or 1=1", "') or ('1' eq '1", "a eq 'x' or sleep(10) eq 1",
        "../../etc/passwd eq 1", "a eq ${x}",
    ])
    func `statements of other languages are only words that do not parse`(
        text: String
    ) async throws {
        try await TestServer.run { (server) async throws in
            for option in ["$filter", "$orderby"] {
                #expect(try await server.list("t", [(option, text)]).status == 400)
            }
        }
    }

    @Test(arguments: ["..", "%2e%2e", "%2e%2e%2fx", "a%2fb", "a%00", "con.txt", "t%20", "-a"])
    func `a table's name cannot leave the directory`(name: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.send(.post, "/tables/\(name)", ["id": "a"])
            #expect(reply.status == 400)
        }
    }

    @Test func `doubled options are refused rather than one of them chosen`() async throws {
        try await TestServer.run { (server) async throws in
            for query in [
                "$top=1&$top=2", "$filter=a&$Filter=b", "__includeDeleted=true&__includedeleted=0",
            ] {
                #expect(try await server.send(.get, "/tables/t?\(query)").status == 400)
            }
        }
    }

    @Test(arguments: ["maybe", "1", "0", "yes", "", "true%20x", "truefalse"])
    func `an option that is neither true nor false is refused`(value: String) async throws {
        try await TestServer.run { server in
            for server in [server, server.inVersion3] {
                _ = try await server.send(.post, "/tables/t", ["id": "a"])
                for path in ["/tables/t", "/tables/t/a", "/tables/t/a/attachments/x"] {
                    let reply = try await server.send(
                        .get, "\(path)?__includeDeleted=\(value)")
                    #expect(reply.status == 400, "\(path)")
                }
                for good in ["true", "FALSE"] {
                    let reply = try await server.send(.get, "/tables/t?__includedeleted=\(good)")
                    #expect(reply.status == 200)
                }
            }
            let put = try await server.inVersion3.send(
                .put, "/tables/t/a?__includeDeleted=\(value)", ["id": "a"])
            #expect(put.status == 400)
        }
    }

    @Test func `numbers, choices and names of options are read to their end, in both versions`()
        async throws
    {
        try await TestServer.run { server in
            _ = try await server.send(.post, "/tables/t", ["id": "a", "year": 1, "rating": 2])
            for (server, others) in [
                (
                    server,
                    ["$inlinecount=all", "$inlinecount=", "$inlinecount=true", "$count=true"]
                ),
                (
                    server.inVersion3,
                    ["$count=yes", "$count=", "$count=1", "$inlinecount=allpages"]
                ),
            ] {
                for query in [
                    "$select=year%20rating", "$select=year,ra%09ting",
                    "$select=id,year%C2%A0rating",
                    "$top=1x", "$top=", "$top=1.0", "$top=+1", "$top=%201", "$top=-1",
                    "$top=99999999999999999999", "$top=0x1", "$skip=1x", "$skip=", "$skip=-1",
                    "$skiptoken=x", "$top=1&$TOP=1", "$select=id&$select=year",
                    "$orderby=year&$orderby=year", "$skip=1&$skip=1", "$filter=id&$filter=id",
                    "$skiptoken=&$skiptoken=",
                ] + others {
                    let reply = try await server.send(.get, "/tables/t?\(query)")
                    #expect(reply.status == 400, "\(query)")
                }
                let good = try await server.send(.get, "/tables/t?$select=%20year%20,rating")
                #expect(good.status == 200)
                for query in [
                    "wait=1x", "wait=", "wait=301", "wait=1.5", "wait=1&wait=1", "since=0&since=0",
                    "wait=-0", "$top=1&$top=2&wait=0",
                ] {
                    let reply = try await server.send(.get, "/tables/t/changes?\(query)")
                    #expect(reply.status == 400, "\(query)")
                }
            }
        }
    }

    @Test func `the log has method, template and status, and nothing of a document`()
        async throws
    {
        let lines = LogLines()
        let logger = Logger(label: "test") { _ in lines }
        try await TestServer.run(logger: logger, stores: [.directory]) { server in
            _ = try await server.send(.post, "/tables/t", ["id": "hush", "text": "hush"])
            _ = try await server.send(.patch, "/tables/t/hush", ["text": "hush"], ifMatch: "\"x\"")
            _ = try await server.list("t", [("$filter", "text eq 'hush'")])
            _ = try await server.send(.get, "/hush")
            _ = try await server.send(.get, "/tables/hush-1", token: "hush")
        }
        let all = lines.all
        #expect(all.count == 5)
        #expect(!all.joined().contains("hush"))
        #expect(all[0].contains("method=POST") && all[0].contains("route=/tables/{table} "))
        #expect(all[1].contains("route=/tables/{table}/{id} ") && all[1].contains("status=412"))
        #expect(all.allSatisfy { $0.contains("milliseconds=") })
    }
}

/// Keeps what is logged.
private final class LogLines: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
        lines.withLock { $0.append("\(event.message) " + pairs.joined(separator: " ")) }
    }
}
