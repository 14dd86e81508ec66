import Foundation
import HTTPTypes
import Settle
import SettleOData
import Testing

@testable import SettleServer
import SettleTableProtocol

/// Answers and items that would be too large.
@Suite(.serialized) struct `Sizes` {
    private static func text(_ count: Int) -> JSONValue {
        .string(String(repeating: "x", count: count))
    }

    @Test func `an item that grows too large is refused, and stays as it was`() async throws {
        try await TestServer.run(bodyMaxBytes: 20 << 20) { server in
            _ = try await server.send(.post, "/tables/t", ["id": "a", "x": Self.text(9 << 20)])
            let grown = try await server.send(.patch, "/tables/t/a", ["y": Self.text(9 << 20)])
            #expect(grown.status == 413)
            let item = try await server.send(.get, "/tables/t/a")
            #expect(item.status == 200)
            #expect(item.json?["y"] == nil)
            // In a batch it is that operation's alone.
            let batch = try await server.send(
                .post, "/tables/t/operations/batch",
                [
                    "operations": [
                        ["op": "update", "id": "a", "item": ["y": Self.text(9 << 20)]],
                        ["op": "insert", "id": "b", "item": [:]],
                    ]
                ])
            #expect(
                batch.json?["results"]?.arrayValue?.map { $0["status"] } == [413, 201])
        }
    }

    @Test func `an item in very many channels is refused`() async throws {
        try await TestServer.run { server in
            let channels = (0...TableItem.channelCountMax).map { JSONValue.string("c\($0)") }
            let many = try await server.send(
                .post, "/tables/t", ["id": "a", "channels": .array(channels)])
            #expect(many.status == 400)
            let enough = try await server.send(
                .post, "/tables/t", ["id": "a", "channels": .array(channels.dropLast())])
            #expect(enough.status == 201)
        }
    }

    private static func item(_ number: Int) -> TableItem {
        let instant = Instant(microseconds: Int64(1 + number))
        return TableItem(
            id: "\(number)", members: ["n": .integer(Int64(number)), "x": text(1_000)],
            createdAt: instant, updatedAt: instant, version: "v", isDeleted: false)
    }

    @Test(arguments: ["id", "updatedAt", "n"], [0, 1_500, 3_000, 1 << 20])
    func `a page ends early when its items are large`(order: String, bytesMax: Int) throws {
        var request = PageRequest(top: 5)
        request.order = try ODataParser.order(order)
        var collector = PageCollector(
            request: request, identity: .unlimited, isOrdered: order != "n",
            answerBytesMax: bytesMax)
        for number in 0..<8 where !collector.isFull {
            try collector.collect(Self.item(number))
        }
        let page = try collector.page { Int($0).map(Self.item) }
        let count = min(5, max(1, bytesMax / Self.item(0).approximateSize))
        #expect(page.items.map(\.id) == (0..<count).map(String.init))
        #expect(page.end?.id == "\(count - 1)")
    }

    @Test(arguments: TestStore.all)
    func `a page of stored nulls ends as early as one of text`(kind: TestStore) async throws {
        try await kind.with { source in
            let store = try await source.open(ServerStore.Settings(tableCountMax: 1))
            let stored = try await store.table(try TableName("t"), isCreated: true)
            let table = HostedTable(stored: try #require(stored))
            let nulls = JSONValue.array(Array(repeating: .null, count: 1_000))
            let writes = (0..<6).map { number in
                ItemWrite(operation: .insert(members: ["x": nulls]), id: "\(number)")
            }
            // Each counts more than 9,000 bytes; packed it has little more than 1,000.
            let results = try await table.perform(
                writes, by: .unlimited, now: Date(timeIntervalSince1970: 1),
                answerBytesMax: 20_000)
            #expect(results.filter { (try? $0.get()) != nil }.count == 3)
            let items = try await table.stored.read { snapshot in
                try ["0", "1", "2"].compactMap { try snapshot.item($0) }
            }
            var request = PageRequest(top: 5)
            request.order = try ODataParser.order("id")
            var collector = PageCollector(
                request: request, identity: .unlimited, isOrdered: true, answerBytesMax: 20_000)
            for item in items { try collector.collect(item) }
            let page = try collector.page { _ in nil }
            #expect(page.items.map(\.id) == ["0", "1"])
            await store.close()
        }
    }

    @Test(arguments: TestStore.all)
    func `an item that was larger before there was a limit can be deleted`(
        kind: TestStore
    ) async throws {
        try await kind.with { source in
            let store = try await source.open(ServerStore.Settings(tableCountMax: 1))
            let stored = try await store.table(try TableName("t"), isCreated: true)
            let table = HostedTable(stored: try #require(stored))
            let channels = JSONValue.array(
                (0...TableItem.channelCountMax).map { .string("c\($0)") })
            // Counted as larger than it is, so that the store takes it.
            let nulls = JSONValue.array(
                Array(repeating: .null, count: TableItem.bytesMax / 9 + 1))
            let item = TableItem(
                id: "a", members: ["x": nulls, "channels": channels],
                createdAt: Instant(microseconds: 1), updatedAt: Instant(microseconds: 1),
                version: "", isDeleted: false)
            _ = try await table.stored.write(touching: ["a"]) { try $0.save(item, over: nil) }
            let delete = ItemWrite(operation: .delete, id: "a")
            let update = ItemWrite(
                operation: .update(
                    members: ["y": 1], attachments: nil, seenVersion: nil, undeletes: false),
                id: "a")
            let now = Date(timeIntervalSince1970: 2)
            let refused = try await table.perform([update], by: .unlimited, now: now)
            #expect(refused.allSatisfy { (try? $0.get()) == nil })
            let deleted = try await table.perform([delete], by: .unlimited, now: now)
            #expect(try deleted[0].get().isDeleted)
            await store.close()
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a filter that names a large member for each element of another is soon done`() throws {
        let zeros = JSONValue.array(Array(repeating: 0, count: 100_000))
        let members = try PackedValue(["a": zeros, "b": ["c": 1, "d": zeros]])
        var item = Self.item(0)
        item.members = try #require(ItemMembers(packed: members))
        var request = PageRequest(top: 5)
        let long = Array(repeating: "b/c eq 2", count: 200).joined(separator: " or ")
        for filter in ["a/any(x: b/c eq x)", long] {
            request.filter = try ODataParser.filter(filter, dialect: .version4)
            var collector = PageCollector(
                request: request, identity: .unlimited, isOrdered: true)
            // Values 100,000 times as large as the item would take hours.
            try collector.collect(item)
            let page = try collector.page { _ in nil }
            #expect(page.items.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a filter that names the attachments for each element of an array is soon done`() throws {
        var item = Self.item(0)
        item.members = ["a": .array(Array(repeating: 0, count: 500_000))]
        item.attachments = try Self.attachments(1_000)
        var request = PageRequest(top: 5)
        for path in ["_attachments/a7/length", "_attachments/none", "_attachments"] {
            request.filter = try ODataParser.filter("a/any(x: \(path) eq x)", dialect: .version4)
            var collector = PageCollector(
                request: request, identity: .unlimited, isOrdered: true)
            // A thousand objects for each of the elements would take hours.
            try collector.collect(item)
            let page = try collector.page { _ in nil }
            #expect(page.items.isEmpty)
        }
    }

    private static func attachments(_ count: Int) throws -> [AttachmentDescription] {
        let digest = try #require(AttachmentDigest(String(repeating: "a", count: 64)))
        return (0..<count).map {
            AttachmentDescription(
                name: "a\($0)", contentType: "text/plain", length: 7, digest: digest)
        }
    }

    @Test func `descriptions of attachments count as what they take`() throws {
        var item = Self.item(0)
        let without = item.approximateSize
        item.attachments = try Self.attachments(1_000)
        var text: [UInt8] = []
        item.write(in: .version3, to: &text)
        #expect(item.approximateSize >= text.count)
        #expect(item.approximateSize <= without + 2 * text.count)
        var request = PageRequest(top: 5)
        request.order = try ODataParser.order("id")
        var collector = PageCollector(
            request: request, identity: .unlimited, isOrdered: true,
            answerBytesMax: 2 * item.approximateSize)
        for number in 0..<5 {
            item.id = "\(number)"
            try collector.collect(item)
        }
        let page = try collector.page { _ in nil }
        #expect(page.items.map(\.id) == ["0", "1"])
    }

    @Test(arguments: TestStore.all)
    func `a batch stops when its answer is long enough`(kind: TestStore) async throws {
        try await kind.with { source in
            let store = try await source.open(ServerStore.Settings(tableCountMax: 1))
            let stored = try await store.table(try TableName("t"), isCreated: true)
            let table = HostedTable(stored: try #require(stored))
            let writes = (0..<6).map { number in
                ItemWrite(
                    operation: .insert(members: ["x": Self.text(1_000)]), id: "\(number)")
            }
            let results = try await table.perform(
                writes, by: .unlimited, now: Date(timeIntervalSince1970: 1), answerBytesMax: 3_000)
            let isStored = results.map { (try? $0.get()) != nil }
            #expect(isStored == [true, true, true, false, false, false])
            let last = try await table.item("3")
            #expect(last == nil)
            await store.close()
        }
    }

    @Test func `a patch that would copy large arrays over and over is refused`() async throws {
        try await TestServer.run(bodyMaxBytes: 20 << 20) { server in
            let server = server.inVersion3
            let zeros = Array(repeating: JSONValue.integer(0), count: 100_000)
            _ = try await server.send(.post, "/tables/t", ["id": "a", "v": .array(zeros)])
            let change: JSONValue = ["op": "replace", "path": "/v/0", "value": 1]
            let type = "application/json-patch+json"
            let many = try await server.send(
                .patch, "/tables/t/a", .array(Array(repeating: change, count: 1_000)),
                headers: [.contentType: type])
            #expect(many.status == 409)
            let few = try await server.send(
                .patch, "/tables/t/a", .array(Array(repeating: change, count: 3)),
                headers: [.contentType: type])
            #expect(few.status == 200)
        }
    }
}
