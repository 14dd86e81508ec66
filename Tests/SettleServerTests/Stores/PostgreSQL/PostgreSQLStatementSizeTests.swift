import Settle
import SettleOData
import Testing

@testable import SettlePostgreSQL
@testable import SettleServer
import SettleTableProtocol

@Suite(.timeLimit(.minutes(60))) struct `Sizes of statements for PostgreSQL` {
    private static let megabyte = String(repeating: "x", count: 1 << 20)

    private func item(
        _ id: Int, _ members: ItemMembers = [:], attachments: [AttachmentDescription] = [],
        removals: ChannelRemovals = ChannelRemovals()
    ) -> TableItem {
        let time = Instant(microseconds: Int64(id))
        return TableItem(
            id: "\(id)", members: members, createdAt: time, updatedAt: time, version: "v",
            isDeleted: false, attachments: attachments, removals: removals)
    }

    @Test func `count members, removals and attachments`() throws {
        let digest = try #require(AttachmentDigest(String(repeating: "0", count: 64)))
        let attachment = AttachmentDescription(
            name: "a", contentType: Self.megabyte, length: 1, digest: digest)
        let removals = try #require(ChannelRemovals(.object([Self.megabyte: 1])))
        let members = ItemMembers(["text": .string(Self.megabyte)])
        let kinds: [[TableItem]] = [
            (0..<10).map { item($0, members) },
            (0..<10).map { item($0, attachments: [attachment]) },
            (0..<10).map { item($0, removals: removals) },
        ]
        for items in kinds {
            // The fourth is the one that comes past 4 MiB.
            #expect(ItemTexts.first(of: items[...]).count == 4)
            #expect(ItemTexts.first(of: items[8...]).count == 2)
        }
        let all = (0..<10).map {
            item($0, members, attachments: [attachment], removals: removals)
        }
        #expect(ItemTexts.first(of: all[...]).count == 2)
    }

    @Test func `take one item at least, and many small ones`() {
        let text = String(repeating: "x", count: 8 << 20)
        let large = (0..<3).map { item($0, ItemMembers(["text": .string(text)])) }
        #expect(ItemTexts.first(of: large[...]).count == 1)
        #expect(ItemTexts.first(of: large[3...]).isEmpty)
        let small = (0..<1_000).map { item($0) }
        #expect(ItemTexts.first(of: small[...]).count == 1_000)
    }

    @Test func `bound how many large items are read`() {
        var items = LargeItems()
        #expect(items.first(within: 100).isEmpty)
        for (id, bytes) in [("a", 40), ("b", 60), ("c", 101), ("d", 1)] {
            items.add(LargeItems.Entry(id: id, bytes: bytes))
        }
        #expect(items.first(within: 100).map(\.id) == ["a", "b"])
        #expect(items.first(within: 99).map(\.id) == ["a"])
        #expect(items.first(within: 39).isEmpty)
        #expect(items.first(within: -1).isEmpty)
        #expect(items.first(from: 2, within: 100).isEmpty)
        #expect(items.first(from: 2, within: 1_000).map(\.id) == ["c", "d"])
        #expect(items.contains(ItemKey("d")) && !items.contains(ItemKey("e")))
    }

    @Test func `do not keep long removals from being stored together`() async throws {
        try await PostgreSQLStores().withTables { tables in
            let ids = (0..<12).map { String($0 + 10) }
            try await tables[0].write(touching: ids) { transaction in
                for id in ids { try transaction.put(id, leaving: [id + Self.megabyte]) }
            }
            try await tables[0].read { snapshot in
                for id in ids {
                    let left = try snapshot.item(id)?.removals.times.keys.map {
                        String($0.prefix(3))
                    }
                    #expect(left == [id + "x"])
                }
            }
        }
    }

    @Test func `bound how many keys are sent at once`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables([[["list", "x"]]]) { tables in
            // A thousand keys each, and 5 MiB of them with these ids.
            let ids = (0..<25).map { String(repeating: "i", count: 200) + "\($0)" }
            let list = (0..<1_000).map { number -> JSONValue in ["x": .integer(Int64(number))] }
            try await tables[0].write(touching: ids) { transaction in
                for id in ids { try transaction.put(id, ["list": .array(list)]) }
            }
            let stored = try await stores.number("SELECT count(*) FROM settle.keys")
            #expect(stored == 25_000)
            try await tables[0].write(touching: ids) { transaction in
                for id in ids { try transaction.put(id) }
            }
            let left = try await stores.number("SELECT count(*) FROM settle.keys")
            #expect(left == 0)
        }
    }
}

@Suite struct `Numbers of indexes in PostgreSQL` {
    @Test func `are above all that are there, and the highest comes again`() throws {
        var definitions = try IndexDefinitions(#"{"a": 1, "b/c": 2}"#)
        #expect(definitions.paths == [["a"], ["b", "c"]])
        let first = definitions.change(to: [["a"], ["d"]])
        #expect(first.removed == [2] && first.added == [["d"]: 3])
        let second = definitions.change(to: [["a"]])
        #expect(second.removed == [3] && second.added.isEmpty)
        let third = definitions.change(to: [["a"], ["e"]])
        #expect(third.removed.isEmpty && third.added == [["e"]: 2])
        #expect(definitions.numbers == [["a"]: 1, ["e"]: 2])
    }
}
