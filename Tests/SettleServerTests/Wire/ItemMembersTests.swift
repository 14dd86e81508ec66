import Settle
import SettleOData
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Members of an item` {
    private static let values: [String: JSONValue] = [
        "name": "\u{E9}\"", "channels": ["north", 1, "south"], "n": .integer(.max),
        "nested": ["a": [1.5, .null]], "createdAt": "mine", "_x": false,
    ]

    /// The same members, as a sender gave them and as a store has them.
    private static func both(
        _ values: [String: JSONValue] = values
    ) throws -> (given: ItemMembers, stored: ItemMembers) {
        let packed = try PackedValue(.object(values))
        return (ItemMembers(values), try #require(ItemMembers(packed: packed)))
    }

    @Test func `are the same whether a sender gave them or a store has them`() throws {
        let (given, stored) = try Self.both()
        #expect(given == stored && stored == given && stored == stored)
        #expect(stored.values == Self.values)
        for name in Self.values.keys { #expect(stored[name] == given[name]) }
        #expect(stored["absent"] == nil && given["absent"] == nil)
        #expect(
            ItemMembers(stored.values) == stored && stored.approximateSize == given.approximateSize)
        var others = Self.values
        others["n"] = 1
        let (otherGiven, otherStored) = try Self.both(others)
        #expect(given != otherGiven && given != otherStored)
        #expect(stored != otherGiven && stored != otherStored)
    }

    @Test func `have names that are the same when they are canonically equivalent`() throws {
        let composed = "pr\u{E9}nom"
        let decomposed = "pre\u{301}nom"
        for (written, sought) in [(composed, decomposed), (decomposed, composed)] {
            let (given, stored) = try Self.both([written: "x", "K": 1])
            for members in [given, stored, ItemMembers(stored.values)] {
                #expect(members[sought] == "x" && members[written] == "x")
                // The sign of the kelvin is canonically a K.
                #expect(members["\u{212A}"] == 1)
                #expect(members["k"] == nil)
            }
            let item = TableItem.sample([written: ["n": 1]])
            #expect(item.withAttachmentColumn.value(at: [sought, "n"]) == .integer(1))
        }
        let (first, firstStored) = try Self.both([composed: 1])
        let (second, secondStored) = try Self.both([decomposed: 1])
        for one in [first, firstStored] {
            for other in [second, secondStored] { #expect(one != other) }
        }
    }

    @Test func `have one size, however they are kept`() throws {
        var generator = SeededGenerator()
        for _ in 0..<300 {
            var values: [String: JSONValue] = [:]
            for number in 0..<Int.random(in: 0...20, using: &generator) {
                values["n\(number)"] = Self.random(depth: 3, using: &generator)
            }
            let (given, stored) = try Self.both(values)
            #expect(given.approximateSize == stored.approximateSize, "\(generator)")
        }
    }

    private static func random(
        depth: Int, using generator: inout SeededGenerator
    ) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .integer(.random(in: .min ... .max, using: &generator))
        case 3: return .double(.random(in: -1...1, using: &generator))
        case 4, 5:
            let count = Int.random(in: 0...300, using: &generator)
            return .string(String(repeating: "\u{E9}", count: count))
        default:
            let elements = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                random(depth: depth - 1, using: &generator)
            }
            guard Bool.random(using: &generator) else { return .array(elements) }
            let named = elements.enumerated().map { ("m\($0.offset)", $0.element) }
            return .object(Dictionary(uniqueKeysWithValues: named))
        }
    }

    @Test(arguments: [JSONValue.null, 1, "a", [], [["a": 1]]])
    func `are an object`(value: JSONValue) throws {
        #expect(ItemMembers(packed: try PackedValue(value)) == nil)
    }

    @Test func `are sent alike, in each version, with each selection`() throws {
        let (given, stored) = try Self.both()
        let selections: [Set<String>?] = [
            nil, [], ["name"], ["id", "version"], ["createdAt", "nested", "absent"],
        ]
        for dialect in [TableDialect.version2, .version3] {
            for selection in selections {
                for isDeleted in [false, true] {
                    let texts = [given, stored].map { members in
                        let item = TableItem(
                            id: "x/\u{E9}", members: members, createdAt: Instant(ticks: 0),
                            updatedAt: Instant(microseconds: 1_600_000_000_123_456), version: "v",
                            isDeleted: isDeleted)
                        var text: [UInt8] = []
                        item.write(
                            in: ItemForm(dialect.columns, selecting: selection), to: &text)
                        var expected = item.json(in: dialect).objectValue ?? [:]
                        if let selection {
                            expected = expected.filter { selection.contains($0.key) }
                        }
                        #expect(text == JSONText.text(of: .object(expected)))
                        return text
                    }
                    #expect(texts[0] == texts[1])
                }
            }
        }
    }

    @Test func `say nothing of an item that is out of sight`() throws {
        let (_, stored) = try Self.both()
        var item = TableItem(
            id: "x", members: stored, createdAt: Instant(ticks: 0), updatedAt: Instant(ticks: 0),
            version: "removed-0", isDeleted: true)
        item.isOutOfScope = true
        var text: [UInt8] = []
        item.write(
            in: ItemForm(TableDialect.version3.columns, selecting: ["name"]), to: &text)
        let expected: JSONValue = [
            "@removed": ["reason": "changed"], "deleted": true, "id": "x",
            "updatedAt": "1970-01-01T00:00:00.000Z", "version": "removed-0",
        ]
        #expect(text == JSONText.text(of: expected))
        #expect(item.json(in: .version2) == expected)
    }
}
