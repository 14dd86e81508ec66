import Foundation
import Settle
import SettleOData
import SettleServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Walks over PostgreSQL` {
    /// The bytes of two texts, compared.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    @Test func `come past everything, over many statements`() async throws {
        try await PostgreSQLStores().withTables { tables in
            // More than the first chunk, the second and the third hold.
            let ids = (0..<700).map { "\($0 * 7919 % 700)" }
            _ = try await tables[0].write(touching: ids) { transaction in
                for id in ids { try transaction.put(id, ["id": .string(id)]) }
            }
            let walked = try await tables[0].ids()
            #expect(walked == ids.sorted(by: Self.precedes))
            let entries = try await tables[0].entries()
            #expect(entries.map(\.id) == ids)
            let read = try await tables[0].read { snapshot in
                var read: [String] = []
                try snapshot.forEachEntry(in: 0 ... .max) { _, item in
                    if let id = try item()?.members["id"]?.stringValue { read.append(id) }
                    return read.count < 333
                }
                return read
            }
            #expect(read == Array(ids.prefix(333)))
        }
    }

    @Test func `read every item that was stored, however large`() async throws {
        try await PostgreSQLStores().withTables { tables in
            let text = String(repeating: "ä", count: 11 << 20)
            try await tables[0].put("a", ["text": .string(text)])
            let read = try await tables[0].read { try $0.item("a")?.members["text"]?.stringValue }
            #expect(read?.utf8.count == text.utf8.count)
        }
    }

    @Test func `take ids with a U+0000 for ids that are not there`() async throws {
        try await PostgreSQLStores().withTables { tables in
            let ids = ["a", "a\u{1}", "aa", "b"]
            for id in ids { try await tables[0].put(id) }
            try await tables[0].read { snapshot in
                for id in ["\0", "a\0", "a\0b", "b\0"] {
                    #expect(try snapshot.item(id) == nil)
                    var found: [String] = []
                    try snapshot.forEachItem(after: id) {
                        found.append($0.id)
                        return true
                    }
                    #expect(found == ids.filter { Self.precedes(id, $0) })
                }
            }
            let written = try await tables[0].write(touching: ["a\0b"]) { try $0.item("a\0b") }
            #expect(written == nil)
        }
    }

    @Test func `take everything in ids and values as data`() async throws {
        let texts = [
            "'; DROP TABLE settle.items; --", "$1", "\"", "\\", "x' OR '1'='1", "{a,b}", "NULL",
            "%", "e\u{301}", "\u{e9}", "漢", "\u{1F469}\u{200D}\u{1F469}", " ", "a b", "\\x41",
        ]
        try await PostgreSQLStores().withTables([[["text"]], []]) { tables in
            for text in texts {
                try await tables[0].put(
                    text, ["text": .string(text), text: .string("a\u{0}b"), "n": 1.5, "m": 1],
                    leaving: [text])
            }
            let ids = try await tables[1].ids()
            let sorted = texts.sorted(by: Self.precedes)
            #expect(ids.map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
            for text in texts {
                let item = try await tables[1].read { try $0.item(text) }
                #expect(item?.members["text"] == .string(text))
                #expect(item?.members[text] == .string("a\u{0}b"))
                #expect(item?.members["n"] == 1.5 && item?.members["m"] == 1)
                #expect(item?.removals.times.keys.map { Array($0.utf8) } == [Array(text.utf8)])
            }
            let none = try await tables[1].read { try $0.item("a\0b") }
            #expect(none == nil)
            // Only the first store wants an index, and the second came after it.
            let paths = try await tables[0].read { try $0.indexedPaths() }
            #expect(paths == [])
        }
    }

    @Test func `of indexes find what was saved, whoever saved it`() async throws {
        let paths = [["text"], ["n"], ["list", "x"]]
        try await PostgreSQLStores().withTables([paths, paths]) { tables in
            for number in 0..<30 {
                try await tables[number % 2].put(
                    "\(number)",
                    [
                        "text": .string("t\(number % 3)"), "n": .integer(Int64(number)),
                        "list": [["x": .integer(Int64(number))], ["x": .integer(100)]],
                    ])
            }
            func ids(
                _ path: [String], _ ranges: [ODataKeyRange], max: Int
            ) async throws -> [String]? {
                try await tables[1].read {
                    try $0.ids(at: path, in: ranges, countMax: max)?.sorted()
                }
            }
            let text = ODataKeyRange(lower: [3] + Array("t1".utf8), upper: [3] + Array("t1".utf8))
            let found = try await ids(["text"], [text], max: 100)
            #expect(found == (0..<30).filter { $0 % 3 == 1 }.map(String.init).sorted())
            let numbers = ODataKeyRange(lower: [2], upper: [2, 255])
            let all = try await ids(["list", "x"], [numbers], max: 30)
            #expect(all?.count == 30)
            let tooMany = try await ids(["list", "x"], [numbers], max: 29)
            #expect(tooMany == nil)
            try await tables[0].put("1", ["text": "t2"])
            let after = try await ids(["text"], [text], max: 100)
            #expect(after?.contains("1") == false)
            let twice = try await ids(["n"], [numbers, numbers], max: 100)
            #expect(twice?.count == 29)
        }
    }

    @Test func `of an index that came later find what was there before`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            let ids = (0..<600).map(String.init)
            _ = try await tables[0].write(touching: ids) { transaction in
                for id in ids { try transaction.put(id, ["n": .string(id)]) }
            }
            try await stores.withTables([[["n"]]]) { later in
                // The first process knows of the index, too, when it writes now.
                try await tables[0].put("600", ["n": "600"])
                let range = ODataKeyRange(lower: [3], upper: [3, 255])
                let found = try await later[0].read { snapshot in
                    let found = try snapshot.ids(at: ["n"], in: [range], countMax: 10_000)
                    // Candidates are read many at once.
                    for id in found ?? [] {
                        let item = try snapshot.item(id)
                        #expect(item?.members["n"] == .string(id))
                    }
                    return found
                }
                #expect(Set(found ?? []) == Set(ids + ["600"]))
            }
        }
        try await stores.withTables { _ in }
        let keys = try await stores.number("SELECT count(*) FROM settle.keys")
        #expect(keys == 0)
    }

    @Test func `agree with a dictionary after any changes`() async throws {
        let seed: UInt64 = 0x9057_6E51
        try await PostgreSQLStores().withTables([[["n"]], [["n"]]]) { tables in
            var generator = SeededGenerator(seed: seed)
            var items: [String: TableItem] = [:]
            for round in 0..<60 {
                let table = tables[round % 2]
                let changes = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                    (
                        id: "i\(Int.random(in: 0..<12, using: &generator))",
                        n: Int64.random(in: 0..<6, using: &generator),
                        isDeleted: Int.random(in: 0..<4, using: &generator) == 0,
                        left: (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                            "c\(Int.random(in: 0..<3, using: &generator))"
                        }
                    )
                }
                let saved = try await table.write(touching: changes.map(\.id)) { transaction in
                    try changes.map {
                        try transaction.put(
                            $0.id, ["n": .integer($0.n)], isDeleted: $0.isDeleted,
                            leaving: $0.left)
                    }
                }
                for item in saved { items[item.id] = item }
                let other = tables[(round + 1) % 2]
                let walked = try await other.read { snapshot in
                    var walked: [TableItem] = []
                    try snapshot.forEachItem(after: nil) {
                        walked.append($0)
                        return true
                    }
                    return walked
                }
                #expect(
                    walked == items.values.sorted { Self.precedes($0.id, $1.id) },
                    "round \(round), \(generator)")
                let entries = try await other.entries()
                #expect(entries == Self.timeline(items.values), "round \(round), \(generator)")
                for n in Int64(0)..<6 {
                    let key = try #require(
                        ODataKey.keys(
                            of: TableItem(
                                id: "x", members: ["n": .integer(n)],
                                createdAt: Instant(microseconds: 0),
                                updatedAt: Instant(microseconds: 0), version: "",
                                isDeleted: false), at: ["n"]
                        ).first)
                    let found = try await other.read {
                        try $0.ids(
                            at: ["n"], in: [ODataKeyRange(lower: key, upper: key)], countMax: 99)
                    }
                    let expected = items.values.filter { $0.members["n"] == .integer(n) }.map(\.id)
                    #expect(Set(found ?? []) == Set(expected), "round \(round), \(generator)")
                }
            }
        }
    }

    /// Each item at its time, and a mark at each time it left a channel.
    private static func timeline(_ items: some Collection<TableItem>) -> [TimelineEntry] {
        let entries = items.flatMap { item -> [TimelineEntry] in
            let time = item.updatedAt.microseconds
            let marks = Set(item.removals.times.values).subtracting([time])
            return [
                TimelineEntry(
                    time: time, isDeleted: item.isDeleted, isMark: false, id: item.id)
            ]
                + marks.map {
                    TimelineEntry(time: $0, isDeleted: false, isMark: true, id: item.id)
                }
        }
        return entries.sorted { $0.time < $1.time }
    }
}
