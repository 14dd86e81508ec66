import HTTPTypes
import Settle
import Testing

@testable import SettleServer

/// Many operations in one request.
@Suite(.serialized) struct `A batch` {
    private static let path = "/tables/t/operations/batch"

    private static func results(_ reply: Reply) throws -> [JSONValue] {
        #expect(reply.status == 200)
        return try #require(reply.json?["results"]?.arrayValue)
    }

    private static func send(
        _ server: TestServer, _ operations: JSONValue, token: String? = nil
    ) async throws -> [JSONValue] {
        try results(
            try await server.send(.post, path, ["operations": operations], token: token))
    }

    @Test(arguments: ProtocolVersion.all)
    func `carries out its operations in their order`(version: ProtocolVersion) async throws {
        try await TestServer.run { server in
            var server = server
            server.version = version
            let made = try await Self.send(
                server,
                [
                    ["op": "insert", "item": ["id": "a", "n": 1]],
                    ["op": "insert", "id": "b", "item": ["n": 2]],
                    ["op": "insert", "item": ["n": 3]],
                    ["op": "update", "id": "a", "item": ["m": 4]],
                    ["op": "replace", "id": "b", "item": ["m": 5]],
                    ["op": "delete", "id": "b"],
                    ["op": "undelete", "id": "b"],
                ])
            #expect(made.map { $0["status"] } == [201, 201, 201, 200, 200, 204, 200])
            #expect(made[3]["item"]?["n"] == 1)
            #expect(made[3]["item"]?["m"] == 4)
            #expect(made[6]["item"]?["n"] == nil)
            #expect(made[6]["item"]?["m"] == 5)
            #expect(made[5]["version"]?.stringValue?.isEmpty == false)
            // Every answer is what a read says.
            let read = try await server.send(.get, "/tables/t/a")
            #expect(read.json == made[3]["item"])
            let list = try await server.list("t", [("$orderby", "updatedAt")])
            #expect(list.ids?.count == 3)
            #expect(list.ids?.suffix(2) == ["a", "b"])
        }
    }

    @Test func `takes each operation on its own merits`() async throws {
        try await TestServer.run { server in
            let first = try await Self.send(
                server, [["op": "insert", "item": ["id": "a", "n": 1]]])
            let version = try #require(first[0]["item"]?["version"])
            let results = try await Self.send(
                server,
                [
                    ["op": "insert", "item": ["id": "a", "n": 9]],
                    ["op": "update", "id": "a", "version": version, "item": ["n": 2]],
                    ["op": "update", "id": "a", "version": version, "item": ["n": 3]],
                    ["op": "delete", "id": "a", "version": version],
                    ["op": "delete", "id": "nobody"],
                    ["op": "jump"],
                    7,
                    ["op": "update", "item": ["n": 3]],
                    ["op": "update", "id": "a"],
                    ["op": "insert", "item": ["id": "_x"]],
                    ["op": "insert", "id": "y", "item": ["id": "z"]],
                    ["op": "insert", "id": "last", "item": [:]],
                ])
            #expect(
                results.map { $0["status"] }
                    == [409, 200, 412, 412, 404, 400, 400, 400, 400, 400, 400, 201])
            #expect(results[0]["item"]?["n"] == 1)
            #expect(results[2]["item"]?["n"] == 2)
            #expect(results[2]["item"] == results[1]["item"])
            #expect(results[5]["error"]?.stringValue?.contains("insert, update") == true)
            #expect(try await server.send(.get, "/tables/t/last").status == 200)
        }
    }

    @Test func `gives later times to later operations`() async throws {
        try await TestServer.run { server in
            let operations = (0..<100).map { number -> JSONValue in
                ["op": "insert", "id": .string("\(number)"), "item": [:]]
            }
            let results = try await Self.send(server, .array(operations))
            let times = results.compactMap { $0["item"]?["updatedAt"]?.stringValue }
            #expect(times.count == 100)
            let list = try await server.list("t", [("$orderby", "updatedAt"), ("$top", "100")])
            #expect(list.ids == (0..<100).map(String.init))
        }
    }

    @Test func `makes no table when nothing is stored`() async throws {
        try await TestServer.run(tableCountMax: 1) { server in
            let results = try await Self.send(
                server, [["op": "delete", "id": "a"], ["op": "insert", "item": 3]])
            #expect(results.map { $0["status"] } == [404, 400])
            // The only table there may be is still to come.
            #expect(try await server.send(.post, "/tables/u", ["id": "x"]).status == 201)
        }
    }

    @Test(arguments: [
        JSONValue.array([]), 1, "x", .null, [:], ["operations": 1], ["operations": [:]],
    ])
    func `of another shape is refused whole`(body: JSONValue) async throws {
        try await TestServer.run { server in
            let reply = try await server.send(.post, Self.path, body)
            #expect(reply.status == 400)
            #expect(reply.error?.contains("operations") == true)
        }
    }

    @Test func `without operations has no results`() async throws {
        try await TestServer.run { server in
            let results = try await Self.send(server, [])
            #expect(results.isEmpty)
        }
    }

    @Test func `that is too long is refused whole`() async throws {
        try await TestServer.run { server in
            let operation: JSONValue = ["op": "insert", "item": [:]]
            let reply = try await server.send(
                .post, Self.path,
                ["operations": .array(Array(repeating: operation, count: 1_001))])
            #expect(reply.status == 413)
            #expect(try await server.list("t", []).ids == [])
        }
    }

    @Test func `stores nothing in channels that are not the sender's`() async throws {
        let secret = "0123456789abcdef0123456789abcdef"
        try await TestServer.run(authentication: .jwt(secret: secret)) { server in
            let north = try await TableServer.token(
                secret: secret, subject: "ann", channels: ["north"], now: server.clock.date)
            let root = try await TableServer.token(
                secret: secret, subject: "root", now: server.clock.date)
            _ = try await Self.send(
                server, [["op": "insert", "id": "s", "item": ["channels": ["south"], "n": 7]]],
                token: root)
            let results = try await Self.send(
                server,
                [
                    ["op": "insert", "id": "a", "item": ["channels": ["north"]]],
                    ["op": "insert", "id": "b", "item": ["channels": ["south"]]],
                    ["op": "insert", "id": "s", "item": ["channels": ["north"]]],
                    ["op": "update", "id": "s", "item": ["channels": ["north"]]],
                    ["op": "delete", "id": "s"],
                    ["op": "update", "id": "a", "item": ["channels": ["north", "south"]]],
                ], token: north)
            #expect(results.map { $0["status"] } == [201, 403, 403, 404, 404, 403])
            // No problem shows the item of another channel.
            #expect(results.dropFirst().allSatisfy { $0["item"] == nil })
            #expect(try await server.list("t", [], token: root).ids == ["a", "s"])
        }
    }
}
