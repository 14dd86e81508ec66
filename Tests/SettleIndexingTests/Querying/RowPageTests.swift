import SettleDocuments
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

/// Rows of an answer that share what they were read from.
@Suite(.serialized) struct `Rows in pages` {
    /// What is stored of a row.
    private struct Stored {
        var key: [UInt8]
        var head: [UInt8]
        var tail: [UInt8]
    }

    private func stored(_ id: String, _ key: JSONValue, _ value: JSONValue?) throws -> Stored {
        var bytes: [UInt8] = []
        let collationKey = Collator(.unicode).key(for: key)
        let idBytes = Array(id.utf8)
        IndexRowKey.append(
            collationKey: collationKey.span, id: idBytes.span, number: 0, to: &bytes)
        return Stored(
            key: bytes, head: try PackedValue(key).bytes,
            tail: try value.map { try PackedValue($0).bytes } ?? [])
    }

    private func rows(of entries: [Stored]) throws -> [IndexRow] {
        var builder = RowPageBuilder("test", reserving: 1)
        var rows: [IndexRow] = []
        for entry in entries {
            try builder.add(
                key: entry.key.span, head: entry.head.span, tail: entry.tail.span
            ) { rows.append($0) }
        }
        builder.handOn { rows.append($0) }
        return rows
    }

    @Test func `are those that were stored, however many there are`() throws {
        var random = RandomJSON(generator: SeededGenerator())
        let seed = "\(random.generator)"
        for count in [0, 1, 255, 256, 257, 700] {
            var expected: [IndexRow] = []
            var entries: [Stored] = []
            var key = JSONValue.null
            for number in 0..<count {
                // Several rows have the same key, and more often than not one after the other.
                if number == 0 || Int.random(in: 0..<4, using: &random.generator) == 0 {
                    key = random.value(depth: 2)
                }
                let isNone = Int.random(in: 0..<5, using: &random.generator) == 0
                let value = isNone ? nil : random.value(depth: 2)
                let id = "d\(number)é"
                entries.append(try stored(id, key, value))
                expected.append(IndexRow(documentID: id, key: key, value: value))
            }
            let found = try rows(of: entries)
            #expect(found == expected, "\(seed)")
            #expect(found.map(\.documentID) == expected.map(\.documentID), "\(seed)")
            #expect(found.map(\.key) == expected.map(\.key), "\(seed)")
            #expect(found.map(\.value) == expected.map(\.value), "\(seed)")
            let again = try rows(of: entries)
            #expect(found == again, "\(seed)")
        }
    }

    @Test func `keep large values whole`() throws {
        let values = (0..<9).map { JSONValue.string(String(repeating: "\($0)", count: 30_000)) }
        let entries = try values.enumerated().map { try stored("d\($0)", "k", $1) }
        let found = try rows(of: entries)
        #expect(found.map(\.value) == values)
        #expect(found.map(\.documentID) == values.indices.map { "d\($0)" })
    }

    @Test func `are equal when document, key, and value are`() throws {
        let parts: [(id: String, key: JSONValue, value: JSONValue?)] = [
            ("d", 1, "v"), ("e", 1, "v"), ("d", 1.0, "v"), ("d", 1, "w"), ("d", 1, nil),
            ("d", 1, .null), ("de", 1, "v"),
        ]
        let stored = try parts.map { try self.stored($0.id, $0.key, $0.value) }
        for (number, left) in parts.enumerated() {
            let (row, made) = (
                try rows(of: [stored[number]])[0],
                IndexRow(documentID: left.id, key: left.key, value: left.value)
            )
            #expect(row == made)
            #expect(made == row)
            for other in parts.indices {
                let found = try rows(of: stored)
                #expect((row == found[other]) == (number == other), "\(number), \(other)")
                #expect((made == found[other]) == (number == other), "\(number), \(other)")
            }
        }
        let sum = IndexRow(documentID: nil, key: nil, value: 1)
        #expect(sum == IndexRow(documentID: nil, key: nil, value: 1))
        #expect(sum != IndexRow(documentID: nil, key: .null, value: 1))
        #expect(sum != IndexRow(documentID: nil, key: nil, value: 2))
    }

    @Test func `that are damaged are refused before there is a row`() throws {
        let sound = try stored("d", ["a", 1], ["v": [1, 2]])
        _ = try rows(of: [sound])
        for position in sound.tail.indices {
            for byte: UInt8 in [0x00, 0x7F, 0xC0, 0xFF] {
                var damaged = sound
                damaged.tail[position] = byte
                let isSound = (try? PackedValue(stored: damaged.tail).check()) != nil
                let found = try? rows(of: [damaged])
                #expect((found != nil) == isSound, "\(position), \(byte)")
                if let found {
                    #expect(found[0].value == (try? PackedValue(stored: damaged.tail).value()))
                }
            }
        }
        var damaged = sound
        damaged.tail.removeLast()
        #expect(throws: PackedError.self) { try rows(of: [damaged]) }
        damaged = sound
        damaged.head.removeLast()
        #expect(throws: PackedError.self) { try rows(of: [damaged]) }
        damaged = sound
        let id = try #require(damaged.key.lastIndex(of: UInt8(ascii: "d")))
        damaged.key[id] = 0xFF
        #expect(throws: IndexError.self) { try rows(of: [damaged]) }
        damaged = sound
        damaged.key.removeLast()
        #expect(throws: IndexError.self) { try rows(of: [damaged]) }
    }

    @Test func `answer queries of more rows than a page has`() async throws {
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.sum))
        var oracle = QueryOracle(.unicode)
        for number in 0..<250 {
            let rows = (0..<4).map { part in
                (
                    key: JSONValue.string("k\(number % 3)\(part / 2)"),
                    value: JSONValue?.some(.integer(Int64(number)))
                )
            }
            oracle.documents["d\(number)"] = rows
            try await index.put("d\(number)", rows)
        }
        try await index.build(definition, rangeCount: 100)
        let all = oracle.rows
        let start = IndexQuery.KeyBound(key: "k01", documentID: "d120")
        for isDescending in [false, true] {
            for limit in [nil, 0, 1, 256, 257, 600] {
                for skip in [0, 300] {
                    for selection: IndexQuery.Selection in [
                        .range(start: nil, end: nil), .range(start: start, end: nil),
                        .keys(["k10", "k00", "none", "k10"]),
                    ] {
                        let query = IndexQuery(
                            selection: selection, isDescending: isDescending, skip: skip,
                            limit: limit)
                        let found = try index.answer(query, definition)
                        #expect(found == oracle.answer(query, all), "\(query)")
                    }
                }
            }
        }
    }
}
