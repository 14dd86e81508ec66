import TestSupport
import Testing

@testable import SettleDocuments

@Suite struct `Packed objects made of packed members` {
    private static func object(_ count: Int, _ generator: inout SeededGenerator) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for _ in 0..<count {
            let name = "n\(Int.random(in: 0..<(2 * count), using: &generator))"
            let long = String(repeating: "x", count: Int.random(in: 0..<90, using: &generator))
            members[Bool.random(using: &generator) ? name : name + long] = .array([.string(long)])
        }
        return .object(members)
    }

    @Test(arguments: [0, 1, 3, 20, 400, 3_000])
    func `are what the values would give`(count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let (left, right) = (
            Self.object(count, &generator), Self.object(count, &generator)
        )
        let (first, second) = (left.objectValue ?? [:], right.objectValue ?? [:])
        let merged = try PackedValue(left).merging(PackedValue(right))
        #expect(try merged == PackedValue(.object(first.merging(second) { $1 })))
        let names = Array(second.keys.prefix(7)) + ["none"]
        let rest = first.filter { !names.contains($0.key) }
        #expect(try PackedValue(left).removing(names) == PackedValue(.object(rest)))
        // By their first byte: all that begin with it, and the others.
        let marked = JSONValue.object(
            first.merging(second.map { ("_" + $0.key, $0.value) }) { $1 }.merging(["": 1]) { $1 })
        let (special, own) = try PackedValue(marked).separatingMembers(
            beginningWith: UInt8(ascii: "_"))
        #expect(special.map(\.name) == second.keys.map { "_" + $0 }.sorted())
        #expect(special.allSatisfy { second[String($0.name.dropFirst())] == $0.value })
        #expect(try own == PackedValue(.object(first.merging(["": 1]) { $1 })))
        #expect(
            try PackedValue(marked).memberName(beginningWith: UInt8(ascii: "_"))
                == special.first?.name)
        #expect(try PackedValue(left).memberName(beginningWith: UInt8(ascii: "_")) == nil)
        let built = PackedValue.object(try first.map { ($0.key, try PackedValue($0.value)) })
        #expect(try built == PackedValue(left))
        #expect(try PackedValue(left).memberCount == first.count)
    }

    @Test func `take names for the same that are canonically equivalent`() throws {
        let left = try PackedValue(["\u{E9}": 1, "K": 2, "z": 3])
        let right = try PackedValue(["e\u{301}": 4, "\u{212A}": 5])
        let merged = try left.merging(right).value()
        #expect(merged == ["e\u{301}": 4, "\u{212A}": 5, "z": 3])
        #expect(merged.objectValue?.count == 3)
    }

    @Test func `count their values up to a limit`() throws {
        let value = try PackedValue(["a": [1, 2, [3]], "b": ["c": .null]])
        #expect(try value.valueCount(limit: 100) == 8)
        #expect(try value.valueCount(limit: 3) == 4)
        let operations = try PackedValue(["x": [1, [:], "s"], "y": 2])
        #expect(try operations.elementCount(ofMember: "x") == 3)
        #expect(try operations.elementCount(ofMember: "y") == nil)
        #expect(try operations.elementCount(ofMember: "z") == nil)
        let elements = try operations.mapElements(ofMember: "x") { $0 }
        #expect(try elements == [PackedValue(1), PackedValue([:]), PackedValue("s")])
    }
}
