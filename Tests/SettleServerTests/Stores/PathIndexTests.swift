import Foundation
import Settle
import SettleOData
import Synchronization
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

/// Lists whose filters name a path that has an index.
@Suite(.serialized) struct `An index on a path` {
    private static func item(_ number: Int, _ time: Int64) -> TableItem {
        TableItem(
            id: String(format: "i%04d", number),
            members: [
                "city": .object(["name": .string("c\(number % 50)")]),
                "n": number % 3 == 0 ? .null : .integer(Int64(number)),
                "channels": .array([.string("r\(number % 20)"), .string("all")]),
            ],
            createdAt: Instant(microseconds: time), updatedAt: Instant(microseconds: time),
            version: "", isDeleted: false)
    }

    /// Runs a test with a table of items.
    private static func run(
        _ paths: [[String]], count: Int = 1_000,
        _ test: @Sendable (any StoredTable, ServerStore) async throws -> Void
    ) async throws {
        try await withScratchDirectory("indexes") { scratch in
            let source = ServerStore.directory(scratch.url)
            let store = try await source.open(
                ServerStore.Settings(tableCountMax: 10, indexes: { _ in paths }))
            let name = try TableName("t")
            let table = try #require(try await store.table(name, isCreated: true))
            try await fill(table, count: count)
            do {
                try await test(table, source)
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }

    private static func fill(_ table: any StoredTable, count: Int) async throws {
        try await table.write(touching: []) { transaction in
            for number in 0..<count {
                let time = try transaction.nextTime(now: Date(timeIntervalSince1970: 1))
                _ = try transaction.save(item(number, time), over: nil)
            }
        }
    }

    private static func page(
        _ table: any StoredTable, _ filter: String, order: String? = "n", isCounted: Bool = false
    ) async throws -> (ids: [String], read: Int) {
        var request = PageRequest(top: 1_000)
        request.filter = try ODataParser.filter(filter)
        if let order { request.order = try ODataParser.order(order) }
        request.isCounted = isCounted
        return try await table.read { [request] snapshot in
            let counting = CountingSnapshot(base: snapshot)
            let page = try PageReader(request, for: .unlimited, in: counting).read(
                into: [TableItem]())
            return (page.sink.map(\.id), counting.readCount)
        }
    }

    private static let filters = [
        "city/name eq 'c7'", "city/name in ('c1','c2')", "startswith(city/name,'c4')",
        "city/name gt 'c48'", "city/name ge 'c48' and city/name lt 'c5'", "n gt 990",
        "n eq 10 or n eq 20.0", "n eq null", "channels/any(c: c eq 'r3')",
        "channels/any(c: c eq 'r3') and n lt 100", "city/name eq 'none'", "not (city/name eq 'c7')",
        "city/name eq 'c7' or n lt 5", "city eq 'c7'", "n ge 5 and n le 7",
    ]

    @Test(arguments: filters)
    func `changes no answer`(filter: String) async throws {
        try await Self.run([["city", "name"], ["n"], ["channels"]]) { indexed, _ in
            try await Self.run([]) { plain, _ in
                for order in ["n", "updatedAt", "id", nil] {
                    for isCounted in [false, true] {
                        let with = try await Self.page(
                            indexed, filter, order: order, isCounted: isCounted)
                        let without = try await Self.page(
                            plain, filter, order: order, isCounted: isCounted)
                        #expect(with.ids == without.ids)
                    }
                }
            }
        }
    }

    @Test func `reads little more than the items that are found`() async throws {
        try await Self.run([["city", "name"], ["channels"]]) { table, _ in
            for (filter, count) in [
                ("city/name eq 'c7'", 20), ("channels/any(c: c eq 'r3')", 50),
                ("city/name eq 'none'", 0), ("city/name eq 'c7' and n gt 0", 20),
                ("city/name eq 'c3' and channels/any(c: c eq 'all')", 20),
            ] {
                let page = try await Self.page(table, filter)
                // Each is looked at, and those of the page are read once more after sorting.
                #expect(page.read <= 2 * count)
            }
            let all = try await Self.page(table, "n eq 10")
            #expect(all.read >= 1_000)
        }
    }

    @Test(arguments: [Double.greatestFiniteMagnitude, 1e305, -1e305, .leastNonzeroMagnitude])
    func `finds the largest numbers and the smallest`(number: Double) async throws {
        try await Self.run([["n"]], count: 3) { table, _ in
            try await table.write(touching: ["far"]) { transaction in
                let time = try transaction.nextTime(now: Date(timeIntervalSince1970: 1))
                let instant = Instant(microseconds: time)
                _ = try transaction.save(
                    TableItem(
                        id: "far", members: ["n": .double(number)], createdAt: instant,
                        updatedAt: instant, version: "", isDeleted: false), over: nil)
            }
            let filter = number > 0 ? "n gt 0 and n ne 1 and n ne 2" : "n lt 0"
            let page = try await Self.page(table, filter)
            #expect(page.ids == ["far"])
        }
    }

    @Test func `finds an item that has more keys than an index takes`() async throws {
        try await Self.run([["n"]], count: 3) { table, _ in
            try await table.write(touching: ["many"]) { transaction in
                let time = try transaction.nextTime(now: Date(timeIntervalSince1970: 1))
                let instant = Instant(microseconds: time)
                let numbers = (0...Int64(ODataKey.countMax)).map { JSONValue.integer(1_000 + $0) }
                _ = try transaction.save(
                    TableItem(
                        id: "many", members: ["n": .array(numbers)], createdAt: instant,
                        updatedAt: instant, version: "", isDeleted: false), over: nil)
            }
            let many = try await Self.page(table, "n/any(x: x eq 1500)")
            #expect(many.ids == ["many"])
            let one = try await Self.page(table, "n eq 1")
            #expect(one.ids == ["i0001"])
        }
    }

    /// Opens a table with indexes, nil for those that it has, and reads how many items a list reads.
    private static func readCount(
        _ source: ServerStore, _ paths: [[String]]?, isFilled: Bool = false
    ) async throws -> Int {
        let indexes = paths.map { paths in
            { @Sendable (_: TableName) in paths }
        }
        let store = try await source.open(
            ServerStore.Settings(tableCountMax: 10, indexes: indexes))
        let table = try #require(
            try await store.table(try TableName("t"), isCreated: true))
        if isFilled { try await fill(table, count: 1_000) }
        let page = try await page(table, "city/name eq 'c7'")
        #expect(page.ids.count == 20)
        await store.close()
        return page.read
    }

    @Test func `is built, kept and dropped as the configuration says`() async throws {
        try await withScratchDirectory("indexes") { scratch in
            let source = ServerStore.directory(scratch.url)
            let without = try await Self.readCount(source, [], isFilled: true)
            #expect(without >= 1_000)
            let built = try await Self.readCount(source, [["n"], ["city", "name"]])
            #expect(built <= 40)
            let kept = try await Self.readCount(source, nil)
            #expect(kept <= 40)
            let dropped = try await Self.readCount(source, [["n"]])
            #expect(dropped >= 1_000)
        }
    }

    @Test func `follows every change of an item`() async throws {
        try await Self.run([["tags"]], count: 0) { table, _ in
            var random = SeededGenerator(seed: 8)
            var tags: [String: Set<String>] = [:]
            for step in 0..<300 {
                let id = "i\(Int.random(in: 0..<20, using: &random))"
                let now = Set(
                    ["", "a", "a\u{0}", "a\u{0}b", "b", "é"].filter { _ in
                        Bool.random(using: &random)
                    })
                tags[id] = now
                try await table.write(touching: [id]) { transaction in
                    let time = try transaction.nextTime(now: Date(timeIntervalSince1970: 1))
                    let instant = Instant(microseconds: time)
                    _ = try transaction.save(
                        TableItem(
                            id: id,
                            members: ["tags": .array(now.sorted().map(JSONValue.string))],
                            createdAt: instant, updatedAt: instant, version: "",
                            isDeleted: false),
                        over: try transaction.item(id))
                }
                guard step % 10 == 0 else { continue }
                for tag in ["", "a", "a\u{0}", "b"] {
                    let filter = "tags/any(t: t eq '\(tag)')"
                    let page = try await Self.page(table, filter, order: "id")
                    let expected = tags.filter { $0.value.contains(tag) }.keys.sorted()
                    #expect(page.ids == expected, "after step \(step), for a tag of \(tag.count)")
                    #expect(page.read <= 2 * expected.count)
                }
            }
        }
    }
}

/// A state that counts the items that are read from it.
private final class CountingSnapshot: TableSnapshot {
    private let base: any TableSnapshot
    private(set) var readCount = 0

    init(base: any TableSnapshot) { self.base = base }

    func item(_ id: String) throws -> TableItem? {
        readCount += 1
        return try base.item(id)
    }

    func forEachItem(after id: String?, _ body: (TableItem) throws -> Bool) throws {
        try base.forEachItem(after: id) {
            readCount += 1
            return try body($0)
        }
    }

    func forEachEntry(
        in times: ClosedRange<Int64>, checkingMembers checksMembers: Bool,
        _ body: (TimelineEntry, () throws -> TableItem?) throws -> Bool
    ) throws {
        try base.forEachEntry(in: times, checkingMembers: checksMembers) { entry, _ in
            try body(entry) { try item(entry.id) }
        }
    }

    func lastTime() throws -> Int64 { try base.lastTime() }
    func indexedPaths() throws -> [[String]] { try base.indexedPaths() }

    func ids(at path: [String], in ranges: [ODataKeyRange], countMax: Int) throws -> [String]? {
        try base.ids(at: path, in: ranges, countMax: countMax)
    }

    func heldLength(
        of digest: AttachmentDigest, for owner: ContentOwner, now: Date
    ) throws -> Int? {
        try base.heldLength(of: digest, for: owner, now: now)
    }

    func ids(having digest: AttachmentDigest, countMax: Int) throws -> [String] {
        try base.ids(having: digest, countMax: countMax)
    }

    func hasContent(_ attachment: AttachmentDescription, of id: String) throws -> Bool {
        try base.hasContent(attachment, of: id)
    }
}
