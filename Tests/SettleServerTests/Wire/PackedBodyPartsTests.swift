import Foundation
import Settle
import SettleOData
import TestSupport
import Testing

@testable import SettleServer

/// Bodies and rows that are taken apart and put together packed, beside the same with values.
@Suite(.serialized) struct `Items in packed form` {
    private static let names = [
        "id", "ID", "Id", "version", "Version", "VERSION", "versio\u{6E}", "deleted", "Deleted",
        "updatedAt", "updatedat", "createdAt", "CreatedAt", "_attachments", "_Attachments",
        "@removed", "@Removed", "@odata.type", "v\u{E9}rson", "name", "n", "", "channels",
        "del\u{E9}te", "\u{212A}",
    ]
    private static let values: [JSONValue] = [
        .null, .bool(true), .bool(false), .integer(.max), .integer(9_007_199_254_740_993),
        .double(0.1), .double(1e20), .string("x"), .string("a\"\\\n\u{1F600}"), .array([]),
        .array([.string("north"), .null]), .object([:]), .object(["a": [1]]),
    ]

    /// What a body is taken apart into, by the rules as the guide has them.
    private static func naive(
        _ members: [String: JSONValue], for purpose: ItemBody.Purpose, isVersion3: Bool
    ) throws -> (id: String?, version: String?, deleted: Bool?, rest: [String: JSONValue]) {
        struct Refused: Error {}
        func text(_ name: String) throws -> String? {
            switch members[name] {
            case nil, .null?: return nil
            case .string(let text)?: return text
            default: throw Refused()
            }
        }
        func has(_ column: String, _ name: String) -> Bool {
            name.lowercased() == column.lowercased()
        }
        if members["@removed"] != nil { throw Refused() }
        var rest = members
        for name in ["id", "_attachments"] { rest[name] = nil }
        var version: String?
        var deleted: Bool?
        if isVersion3 {
            deleted = members["deleted"]?.boolValue
            for name in members.keys
            where ["updatedAt", "version", "deleted"].contains(where: { has($0, name) }) {
                if purpose == .update, !(name == "deleted" && deleted == false) { throw Refused() }
                rest[name] = nil
            }
        } else {
            for name in members.keys
            where ["createdAt", "updatedAt", "deleted"].contains(where: { has($0, name) }) {
                throw Refused()
            }
            version = try text("version")
            rest["version"] = nil
        }
        let id = try text("id")
        switch members["_attachments"] {
        case nil, .null?: break
        case .object(let object)? where object.isEmpty: break
        default: throw Refused()
        }
        return (id, version, deleted, rest)
    }

    @Test func `are taken apart as values would be`() throws {
        var generator = SeededGenerator()
        var taken = 0
        for _ in 0..<6_000 {
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                members[Self.names.randomElement(using: &generator) ?? ""] =
                    Self.values.randomElement(using: &generator)
            }
            let packed = try PackedValue(.object(members))
            for dialect in [TableDialect.version2, .version3] {
                for purpose in [ItemBody.Purpose.insert, .update, .replacement] {
                    let expected = try? Self.naive(
                        members, for: purpose, isVersion3: dialect.version == .version3)
                    let body = try? ItemBody(packed, for: purpose, in: dialect)
                    #expect((body == nil) == (expected == nil), "\(members), \(generator)")
                    guard let body, let expected else { continue }
                    taken += 1
                    #expect(body.id == expected.id && body.version == expected.version)
                    #expect(body.deleted == expected.deleted, "\(members), \(generator)")
                    #expect(
                        body.members == ItemMembers(expected.rest), "\(members), \(generator)")
                    #expect(
                        try body.members.packed() == PackedValue(.object(expected.rest)),
                        "\(members), \(generator)")
                }
            }
        }
        #expect(taken > 1_000)
    }

    @Test func `have versions that are the base64 of a revision`() throws {
        var generator = SeededGenerator()
        for _ in 0..<200 {
            let generation = UInt32.random(in: 1 ... .max, using: &generator)
            let revision = Revision(
                generation: max(1, generation >> UInt32.random(in: 0...31, using: &generator)),
                digest: Revision.Digest(high: generator.next(), low: generator.next()))
            let text = Data(revision.description.utf8).base64EncodedString()
            let version = ItemVersion.revision(revision)
            #expect(version.text == text, "\(generator)")
            #expect(version == .text(text) && .text(text) == version && version == version)
            #expect(version != .text("x"))
            var json: [UInt8] = []
            version.appendJSON(to: &json)
            #expect(json == JSONText.text(of: .string(text)))
        }
    }

    @Test func `are within the size of a page or not, as when each is measured`() throws {
        var generator = SeededGenerator()
        for round in 0..<200 {
            let sizeMax = Int.random(in: 0...40_000, using: &generator)
            var size = PageSize(max: sizeMax)
            var sum = 0
            for number in 0..<40 {
                let count = Int.random(in: 0...(round % 2 == 0 ? 40 : 400), using: &generator)
                let value: JSONValue =
                    number % 3 == 0
                    ? .array(Array(repeating: 1, count: count))
                    : .string(String(repeating: "x", count: count))
                let packed = try PackedValue(["a": value])
                let item = TableItem(
                    id: "x", members: try #require(ItemMembers(packed: packed)),
                    createdAt: Instant(ticks: 0), updatedAt: Instant(ticks: 0), version: "v",
                    isDeleted: false)
                #expect(item.approximateSize <= item.approximateSizeMax)
                sum += item.approximateSize
                #expect(try size.add(item) == (sum <= sizeMax), "\(generator)")
            }
        }
    }

    @Test func `are stored and read as they were given`() async throws {
        var generator = SeededGenerator()
        var given: [TableItem] = []
        for number in 0..<200 {
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                members[Self.names.randomElement(using: &generator) ?? ""] =
                    Self.values.randomElement(using: &generator)
            }
            var removals = ChannelRemovals()
            if number % 5 == 0 { removals.note(from: ["a", "b"], to: [], at: Int64(number)) }
            given.append(
                TableItem(
                    id: "i\(number)\u{E9}", members: ItemMembers(members),
                    createdAt: Instant(microseconds: 5),
                    updatedAt: Instant(microseconds: Int64(1_000 + number)),
                    version: number % 3 == 0 ? "v\(number)" : "", isDeleted: number % 4 == 0,
                    removals: removals))
        }
        let items = given
        try await withScratchDirectory("items") { scratch in
            let store = try await ServerStore.directory(scratch.url).open(
                ServerStore.Settings(tableCountMax: 10))
            let table = try #require(try await store.table(try TableName("t"), isCreated: true))
            let saved = try await table.write(touching: []) { transaction in
                try items.map { try transaction.save($0, over: nil) }
            }
            for (item, saved) in zip(items, saved) {
                var expected = item
                if item.version.isEmpty { expected.version = saved.version }
                #expect(saved == expected && !saved.version.isEmpty)
            }
            let read = try await table.read { snapshot in
                var walked: [TableItem] = []
                try snapshot.forEachItem(after: nil) { item in
                    walked.append(item)
                    return true
                }
                var listed: [TableItem] = []
                try snapshot.forEachEntry(in: 500...Int64.max) { entry, read in
                    if !entry.isMark, let item = try read() { listed.append(item) }
                    return true
                }
                return (
                    walked, listed, try items.map { try snapshot.item($0.id) },
                    try snapshot.lastTime()
                )
            }
            #expect(read.0 == saved.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) })
            #expect(read.1 == saved && read.2 == saved.map { $0 } && read.3 == 1_199)
            let times = try await table.write(touching: []) { transaction in
                [
                    try transaction.nextTime(now: Date(timeIntervalSince1970: 0)),
                    try transaction.nextTime(now: Date(timeIntervalSince1970: 1)),
                    try transaction.nextTime(now: Date(timeIntervalSince1970: 0)),
                    try transaction.lastTime(),
                ]
            }
            #expect(times == [1_200, 1_000_000, 1_000_001, 1_000_001])
            #expect(try await table.read { try $0.lastTime() } == 1_000_001)
            await store.close()
        }
    }
}
