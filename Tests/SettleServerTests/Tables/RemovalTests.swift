import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

/// Items that leave the channels of a reader, in the reader's next pull.
@Suite(.serialized) struct `Leaving a channel` {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let start = "1970-01-01T00:00:00.000Z"

    private static func run(
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(authentication: .jwt(secret: secret), test)
    }

    private static func token(_ channels: [String]?, _ server: TestServer) async throws -> String {
        try await TableServer.token(
            secret: secret, subject: "ann", channels: channels, now: server.clock.date)
    }

    /// Pulls everything from a time on, page by page.
    ///
    /// - Returns: The items in their order.
    private static func pull(
        _ server: TestServer, _ token: String, from time: String = start,
        and condition: String = "", prefer: String? = "settle.removed", top: Int = 50
    ) async throws -> [JSONValue] {
        let filter = "updatedAt ge datetimeoffset'\(time)'" + condition
        var path =
            "/tables/t?$filter=" + PercentEncoding.encoded(filter)
            + "&$orderby=updatedAt,id&__includeDeleted=true&$top=\(top)"
        var items: [JSONValue] = []
        while true {
            var headers: HTTPFields = [:]
            headers[.prefer] = prefer
            let reply = try await server.send(.get, path, headers: headers, token: token)
            #expect(reply.headers[.preferenceApplied] == prefer)
            items += try #require(reply.json?.arrayValue)
            guard let link = reply.headers[.link] else { return items }
            path = String(link.prefix { $0 != ";" })
        }
    }

    private static func isRemoved(_ item: JSONValue) -> Bool { item["@removed"] != nil }

    @Test func `an item that leaves the token's channels is reported as removed`() async throws {
        try await Self.run { server in
            let root = try await Self.token(nil, server)
            let north = try await Self.token(["north"], server)
            let south = try await Self.token(["south"], server)
            _ = try await server.send(
                .post, "/tables/t", ["id": "a", "channels": ["north"], "text": "secret"],
                token: root)
            let before = try #require(try await Self.pull(server, north).last?["updatedAt"])
            let time = try #require(before.stringValue)
            server.clock.advance(microseconds: 1000)
            let moved = try await server.send(
                .patch, "/tables/t/a", ["channels": ["south"]], token: root)
            let gone = try await Self.pull(server, north, from: time)
            #expect(gone.count == 1)
            #expect(gone.first?["id"] == "a")
            #expect(gone.first?["updatedAt"] == moved.json?["updatedAt"])
            #expect(gone.first?["deleted"] == true)
            #expect(gone.first?["@removed"] == ["reason": "changed"])
            #expect(
                gone.first?.objectValue?.keys.sorted()
                    == ["@removed", "deleted", "id", "updatedAt", "version"])
            #expect(gone.first?["version"] != moved.json?["version"])
            // Others, and readers that do not ask, see what they always did.
            #expect(try await Self.pull(server, north, from: time, prefer: nil) == [])
            #expect(try await Self.pull(server, south) == [moved.json ?? .null])
            #expect(try await Self.pull(server, root) == [moved.json ?? .null])
            let other = try await Self.token(["west"], server)
            #expect(try await Self.pull(server, other) == [])
        }
    }

    @Test func `later changes out of sight neither move the report nor repeat it`() async throws {
        try await Self.run { server in
            let root = try await Self.token(nil, server)
            let north = try await Self.token(["north"], server)
            _ = try await server.send(
                .post, "/tables/t", ["id": "a", "channels": ["north"]], token: root)
            server.clock.advance(microseconds: 1000)
            let moved = try await server.send(
                .patch, "/tables/t/a", ["channels": ["south"]], token: root)
            let first = try await Self.pull(server, north)
            for number in 0..<3 {
                server.clock.advance(microseconds: 1000)
                _ = try await server.send(
                    .patch, "/tables/t/a", ["n": .integer(Int64(number))], token: root)
            }
            _ = try await server.send(.delete, "/tables/t/a", token: root)
            #expect(try await Self.pull(server, north) == first)
            #expect(first.first?["updatedAt"] == moved.json?["updatedAt"])
            let time = try #require(moved.json?["updatedAt"]?.stringValue)
            let later = time.dropLast() + "999Z"
            #expect(try await Self.pull(server, north, from: String(later)) == [])
        }
    }

    @Test func `an item that comes back is an item again`() async throws {
        try await Self.run { server in
            let root = try await Self.token(nil, server)
            let north = try await Self.token(["north"], server)
            _ = try await server.send(
                .post, "/tables/t", ["id": "a", "channels": ["north"]], token: root)
            for channels: JSONValue in [["south"], [], ["north", "south"]] {
                _ = try await server.send(
                    .patch, "/tables/t/a", ["channels": channels], token: root)
            }
            let items = try await Self.pull(server, north)
            #expect(items.count == 1)
            #expect(items.allSatisfy { !Self.isRemoved($0) })
        }
    }

    @Test func `a filter of channels is a limit too, whatever else it asks`() async throws {
        try await Self.run { server in
            let root = try await Self.token(nil, server)
            let both = try await Self.token(["x", "y"], server)
            for token in [root, both] {
                let id = JSONValue.string(token == root ? "r" : "b")
                _ = try await server.send(
                    .post, "/tables/t", ["id": id, "channels": ["x", "y"], "n": 1], token: root)
                _ = try await server.send(
                    .patch, "/tables/t/\(id.stringValue ?? "")", ["channels": ["y"]], token: root)
            }
            for token in [root, both] {
                for condition in [
                    " and channels/any(c: c eq 'x')", " and channels/any(c: c in ('x', 'z'))",
                    " and (channels/any(c: c eq 'x') or channels/any(c: c eq 'z')) and n eq 1",
                    " and channels/any(c: c eq 'x') and n eq 2",
                ] {
                    let items = try await Self.pull(server, token, and: condition)
                    #expect(items.map { $0["id"] } == ["r", "b"], "\(condition)")
                    #expect(items.allSatisfy(Self.isRemoved))
                }
                for condition in [
                    " and channels/any(c: c eq 'y')", " and n eq 2",
                    " and channels/any(c: c eq 'z')",
                ] {
                    let items = try await Self.pull(server, token, and: condition)
                    #expect(items.allSatisfy { !Self.isRemoved($0) }, "\(condition)")
                }
            }
        }
    }

    @Test func `a limited reader cannot ask for what is hidden by way of what is gone`()
        async throws
    {
        try await Self.run { server in
            let root = try await Self.token(nil, server)
            let north = try await Self.token(["north"], server)
            _ = try await server.send(
                .post, "/tables/t", ["id": "a", "channels": ["north"], "n": 1], token: root)
            _ = try await server.send(
                .patch, "/tables/t/a", ["channels": ["hidden"], "n": 2], token: root)
            let answers = try await [" and n eq 1", " and n eq 2", " and n eq 3"].asyncMap {
                try await Self.pull(server, north, and: $0)
            }
            #expect(answers[0].count == 1)
            #expect(answers[0] == answers[1])
            #expect(answers[1] == answers[2])
            for channel in ["hidden", "other"] {
                let items = try await Self.pull(
                    server, north, and: " and channels/any(c: c eq '\(channel)')")
                #expect(items == [], "\(channel)")
            }
        }
    }

    @Test func `lists and counts that are no pulls have every item once`() async throws {
        try await Self.run { server in
            let root = try await Self.token(nil, server)
            for id in ["a", "b"] {
                _ = try await server.send(
                    .post, "/tables/t", ["id": .string(id), "channels": ["x"]], token: root)
                for channels: JSONValue in [["y"], ["z"]] {
                    _ = try await server.send(
                        .patch, "/tables/t/\(id)", ["channels": channels], token: root)
                }
            }
            let all = ("__includeDeleted", "true")
            let preference: HTTPFields = [.prefer: "respond-async, settle.removed"]
            for (order, ids) in [
                ("updatedAt", ["a", "b"]), ("updatedAt desc", ["b", "a"]), ("id", ["a", "b"]),
                ("channels", ["a", "b"]),
            ] {
                let reply = try await server.send(
                    .get,
                    "/tables/t?$inlinecount=allpages&__includeDeleted=true&$orderby="
                        + PercentEncoding.encoded(order), headers: preference, token: root)
                #expect(reply.ids == ids, "\(order)")
                #expect(reply.json?["count"] == 2, "\(order)")
            }
            let byId = try await server.list(
                "t", [all, ("$filter", "id eq 'a' and channels/any(c: c eq 'x')")], token: root)
            #expect(byId.ids == [])
        }
    }

    /// A reader's copy, kept by pulls alone, against what the reader may see.
    @Test(arguments: [1, 2, 3])
    func `a copy kept by pulls is what the reader may see, at every moment`(top: Int)
        async throws
    {
        var generator = SeededGenerator()
        let seed = "\(generator)"
        let steps = (0..<60).map { _ in
            (
                item: Int.random(in: 0..<5, using: &generator),
                channels: ["x", "y", "z"].filter { _ in Bool.random(using: &generator) },
                action: Int.random(in: 0..<6, using: &generator)
            )
        }
        try await Self.run { server in
            let root = try await Self.token(nil, server)
            let readers: [(token: String, condition: String)] = [
                (try await Self.token(["x"], server), ""),
                (try await Self.token(["x", "y"], server), ""),
                (root, " and channels/any(c: c eq 'z')"),
                (try await Self.token(["x", "z"], server), " and channels/any(c: c eq 'z')"),
            ]
            var copies = [[String: JSONValue]](repeating: [:], count: readers.count)
            var times = [String](repeating: Self.start, count: readers.count)
            for (number, step) in steps.enumerated() {
                server.clock.advance(microseconds: 1)
                let id = "i\(step.item)"
                let channels = JSONValue.array(step.channels.map(JSONValue.string))
                let body: JSONValue = [
                    "id": .string(id), "channels": channels, "n": .integer(Int64(number)),
                ]
                switch step.action {
                case 0: _ = try await server.send(.delete, "/tables/t/\(id)", token: root)
                case 1: _ = try await server.send(.post, "/tables/t/\(id)", token: root)
                default:
                    let reply = try await server.send(.post, "/tables/t", body, token: root)
                    if reply.status == 409 {
                        _ = try await server.send(.patch, "/tables/t/\(id)", body, token: root)
                    }
                }
                for (place, reader) in readers.enumerated() where (number + place) % 4 != 0 {
                    let items = try await Self.pull(
                        server, reader.token, from: times[place], and: reader.condition, top: top)
                    for item in items {
                        let id = try #require(item["id"]?.stringValue)
                        copies[place][id] = item["deleted"] == true ? nil : item
                        times[place] = try #require(item["updatedAt"]?.stringValue)
                    }
                    let seen = try await server.list(
                        "t", [("$filter", "true" + reader.condition)], token: reader.token)
                    let expected = try #require(seen.json?.arrayValue)
                    let copy = copies[place].sorted { $0.key < $1.key }.map(\.value)
                    #expect(copy == expected, "reader \(place), step \(number), \(seed)")
                }
            }
        }
    }

    @Test func `only the channels that were left last are kept`() {
        var removals = ChannelRemovals()
        let all = (0..<ChannelRemovals.countMax + 5).map { "c\($0)" }
        for (time, channel) in all.enumerated() {
            removals.note(from: [channel], to: [], at: Int64(time))
        }
        #expect(removals.times.count == ChannelRemovals.countMax)
        #expect(removals.times.values.min() == 5)
        #expect(removals.channels(leftFrom: 4) == [])
        #expect(removals.channels(leftFrom: 1003) == ["c1003", "c1004"])
        #expect(ChannelRemovals(removals.json) == removals)
        removals.note(from: [], to: Set(all), at: 2000)
        #expect(removals == ChannelRemovals())
        #expect(removals.json == nil)
    }
}

extension Array {
    fileprivate func asyncMap<Value>(
        _ body: (Element) async throws -> Value
    ) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
