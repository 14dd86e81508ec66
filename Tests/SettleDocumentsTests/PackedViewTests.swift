import SettleDocuments
import Testing

@Suite struct PackedViewTests {
    private let sample: JSONValue = [
        "type": "city", "n": 29774, "x": 35.75, "whole": 2.0, "on": true, "none": .null,
        "a name of more than eight bytes": "long", "a name of more than 8 bytes": "other",
        "": "empty", "address": ["city": "Žďár", "zip": ["code": 5]], "tags": ["a"],
    ]

    @Test func `members are read by their type`() throws {
        let packed = try PackedValue(sample)
        let view = PackedView(packed.bytes.span)
        try view.check()
        #expect(try view.string("type") == "city")
        #expect(try view.string("") == "empty")
        #expect(try view.string("a name of more than eight bytes") == "long")
        #expect(try view.string("a name of more than 8 bytes") == "other")
        #expect(try view.string("a name of more than 9 bytes") == nil)
        #expect(try view.integer("n") == 29774)
        #expect(try view.integer("whole") == 2)
        #expect(try view.integer("x") == nil)
        #expect(try view.double("x") == 35.75)
        #expect(try view.double("n") == 29774)
        #expect(try view.bool("on") == true)
        #expect(try view.string("n") == nil)
        #expect(try view.bool("absent") == nil)
        #expect(try view.string(at: "address", "city") == "Žďár")
        #expect(try view.integer(at: "address", "city") == nil)
        #expect(try view.string(at: "type", "city") == nil)
        #expect(try view.member(at: ["address", "zip", "code"])?.integer == 5)
        #expect(try view.member("none")?.isNull == true)
        #expect(try view.member("tags")?.value() == ["a"])
        #expect(try view.member("address")?.copy().value() == sample["address"])
    }

    @Test func `names that differ only in zero bytes at the end are told apart`() throws {
        let packed = try PackedValue(["a": 1, "a\u{0}": 2, "a\u{0}\u{0}": 3])
        let view = PackedView(packed.bytes.span)
        #expect(try view.integer("a") == 1)
        #expect(try view.integer("a\u{0}") == 2)
        #expect(try view.integer("a\u{0}\u{0}") == 3)
        #expect(try view.integer("a\u{0}\u{0}\u{0}") == nil)
    }

    @Test func `a view agrees with the tree on random objects`() throws {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed &+ 9000)
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                members[JSONValue.randomText(using: &generator)] = .random(
                    depth: 1, using: &generator)
            }
            let packed = try PackedValue(.object(members))
            let view = PackedView(packed.bytes.span)
            for (name, value) in members {
                #expect(try view.string(name) == value.stringValue, "seed \(seed)")
                #expect(try view.integer(name) == value.integerValue, "seed \(seed)")
                #expect(try view.double(name) == value.doubleValue, "seed \(seed)")
                #expect(try view.bool(name) == value.boolValue, "seed \(seed)")
            }
        }
    }

    @Test func `damage is an error, and only where it is touched`() throws {
        var bytes = try PackedValue(["a": "xyz", "b": 5]).bytes
        let place = try #require(bytes.firstIndex(of: UInt8(ascii: "y")))
        bytes[place] = 0xFF
        let view = PackedView(bytes.span)
        #expect(try view.integer("b") == 5)
        #expect(throws: PackedError.self) { try PackedView(bytes.span).string("a") }
        #expect(throws: PackedError.self) { try PackedView(bytes.span).check() }
        let none: [UInt8] = []
        #expect(throws: PackedError.self) { try PackedView(none.span).string("a") }
    }
}
