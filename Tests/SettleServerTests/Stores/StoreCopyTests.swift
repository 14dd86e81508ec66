import Foundation
import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

/// A copy of all tables from one store to another.
@Suite(.serialized) struct `A copy of a store` {
    private static let pairs: [(TestStore, TestStore)] = TestStore.all.flatMap { source in
        TestStore.all.map { (source, $0) }
    }

    private static func open(_ store: ServerStore) async throws -> any TableStore {
        try await store.open(ServerStore.Settings(tableCountMax: 100))
    }

    /// All that readers could be told of a table.
    private static func contents(_ store: ServerStore, _ name: String) async throws -> [JSONValue] {
        let opened = try await open(store)
        let table = try #require(
            try await opened.table(try TableName(name), isCreated: false))
        let contents = try await table.read { snapshot in
            var contents: [JSONValue] = []
            try snapshot.forEachEntry(in: 0...Int64.max) { entry, read in
                let item = try read()
                contents.append([
                    "time": .integer(entry.time), "mark": .bool(entry.isMark),
                    "item": item?.json(in: .version2) ?? .null,
                    "left": item?.removals.json ?? .null,
                ])
                return true
            }
            return contents
        }
        await opened.close()
        return contents
    }

    private static func fill(_ store: ServerStore) async throws {
        let opened = try await open(store)
        for name in ["one", "Two"] {
            let stored = try #require(
                try await opened.table(try TableName(name), isCreated: true))
            let table = HostedTable(stored: stored)
            let content = Data("content of \(name)".utf8)
            let digest = try #require(
                AttachmentDigest(TestContent(bytes: Array(content)).digest))
            let stream = AsyncStream<Data> {
                $0.yield(content)
                $0.finish()
            }
            try await stored.hold(
                stream, as: digest, for: ContentOwner(.unlimited), now: { Date() })
            let writes = (0..<1_200).map { number in
                let attachments =
                    number == 7
                    ? [
                        AttachmentDescription(
                            name: "a.txt", contentType: "text/plain", length: content.count,
                            digest: digest)
                    ] : nil
                return ItemWrite(
                    operation: .insert(
                        members: [
                            "n": .integer(Int64(number)), "exact": .integer(.max - Int64(number)),
                            "channels": ["north"],
                        ], attachments: attachments), id: "i\(number)")
            }
            let made = try await table.perform(writes, by: .unlimited, now: Date())
            #expect(made.allSatisfy { (try? $0.get()) != nil })
            let changes: [ItemWrite] = [
                ItemWrite(operation: .delete, id: "i1"),
                ItemWrite(
                    operation: .update(
                        members: ["channels": ["south"]], attachments: nil, seenVersion: nil),
                    id: "i2"),
                ItemWrite(
                    operation: .update(members: ["n": 1], attachments: nil, seenVersion: nil),
                    id: "i2"),
            ]
            for write in changes {
                _ = try await table.perform(write, by: .unlimited, now: Date())
            }
        }
        await opened.close()
    }

    @Test(arguments: pairs)
    func `has the same items, times, versions, removals and contents`(
        from: TestStore, to: TestStore
    ) async throws {
        try await from.with { source in
            try await Self.fill(source)
            try await to.with { destination in
                let summary = try await StoreCopy(from: source, to: destination).run()
                #expect(summary.tableCount == 2)
                #expect(summary.copiedCount == 2_400)
                #expect(summary.contentCount == 2)
                for name in ["one", "Two"] {
                    let before = try await Self.contents(source, name)
                    let after = try await Self.contents(destination, name)
                    #expect(before.count == 1_201)
                    #expect(after == before)
                }
                // Once more there is nothing to do.
                let again = try await StoreCopy(from: source, to: destination).run()
                #expect(again.copiedCount == 0)
                #expect(again.equalCount == 2_400)
                try await Self.checkContent(destination)
            }
        }
    }

    private static func checkContent(_ store: ServerStore) async throws {
        let opened = try await open(store)
        let table = try #require(try await opened.table(try TableName("one"), isCreated: false))
        let item = try #require(try await table.read { try $0.item("i7") })
        let chunks = try #require(
            try await table.content(of: item.attachments[0], in: "i7", from: 0))
        var content = Data()
        for try await chunk in chunks { content += chunk }
        #expect(content == Data("content of one".utf8))
        await opened.close()
    }

    @Test(arguments: pairs)
    func `goes on with what was written since, and new writes come behind it`(
        from: TestStore, to: TestStore
    ) async throws {
        try await from.with { source in
            try await Self.fill(source)
            try await to.with { destination in
                _ = try await StoreCopy(from: source, to: destination).run()
                let write = ItemWrite(
                    operation: .update(members: ["n": 9], attachments: nil, seenVersion: nil),
                    id: "i5")
                let opened = try await Self.open(source)
                let stored = try #require(
                    try await opened.table(try TableName("one"), isCreated: false))
                let changed = try await HostedTable(stored: stored).perform(
                    write, by: .unlimited, now: Date())
                await opened.close()
                let summary = try await StoreCopy(from: source, to: destination).run()
                #expect(summary.copiedCount == 1)
                // A clock that is behind gives later times all the same.
                let copy = try await Self.open(destination)
                let table = try #require(
                    try await copy.table(try TableName("one"), isCreated: false))
                let next = try await HostedTable(stored: table).perform(
                    write, by: .unlimited, now: Date(timeIntervalSince1970: 1))
                #expect(next.updatedAt > changed.updatedAt)
                await copy.close()
                // Now the destination has changes of its own.
                await #expect(throws: ServerError.self) {
                    _ = try await StoreCopy(from: source, to: destination).run()
                }
            }
        }
    }
}
