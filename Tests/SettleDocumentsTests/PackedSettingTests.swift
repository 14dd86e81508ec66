import TestSupport
import Testing

@testable import SettleDocuments

@Suite struct `Setting members of a packed object` {
    /// What packing everything gives, from a dictionary that the edits were made in.
    private static func fromScratch(
        _ members: [String: JSONValue], _ edits: [String: JSONValue?]
    ) throws -> PackedValue {
        var members = members
        for (name, edit) in edits { members[name] = edit }
        return try PackedValue(.object(members))
    }

    @Test func `gives the bytes of packing all of it, for all small objects and edits`() throws {
        let names = ["", "a", "\u{E9}", "e\u{301}", "K", "\u{212A}"]
        for stored in 0..<(1 << names.count) {
            var members: [String: JSONValue] = [:]
            for (place, name) in names.enumerated() where stored >> place & 1 == 1 {
                members[name] = .integer(Int64(place))
            }
            let packed = try PackedValue(.object(members))
            // No edit, a removal, a value of one byte, or one that is longer, of up to two names.
            for (first, one) in names.enumerated() {
                for (second, other) in names.enumerated() where second >= first {
                    for choice in 0..<9 {
                        let values: [JSONValue?] = [nil, true, ["a": "longer than it was"]]
                        var edits: [String: JSONValue?] = [:]
                        edits.updateValue(values[choice % 3], forKey: one)
                        edits.updateValue(values[choice / 3], forKey: other)
                        let spliced = try packed.setting(edits)
                        let expected = try Self.fromScratch(members, edits)
                        guard spliced != expected else { continue }
                        Issue.record("\(members) with \(edits): \(spliced.bytes)")
                        return
                    }
                }
            }
        }
    }

    @Test(arguments: 0..<20)
    func `gives the bytes of packing all of it, for random objects and edits`(run: Int) throws {
        var random = SeededGenerator(seed: UInt64(run))
        for _ in 0..<100 {
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                members[JSONValue.randomText(using: &random)] = .random(depth: 3, using: &random)
            }
            var edits: [String: JSONValue?] = [:]
            for name in members.keys.sorted() where Int.random(in: 0..<3, using: &random) == 0 {
                let isRemoved = Bool.random(using: &random)
                edits.updateValue(
                    isRemoved ? nil : .random(depth: 3, using: &random), forKey: name)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let isRemoved = Int.random(in: 0..<4, using: &random) == 0
                edits.updateValue(
                    isRemoved ? nil : .random(depth: 3, using: &random),
                    forKey: JSONValue.randomText(using: &random))
            }
            let spliced = try PackedValue(.object(members)).setting(edits)
            #expect(try spliced == Self.fromScratch(members, edits), "run \(run)")
            try spliced.check()
        }
    }

    /// Where the offsets of the object need more bytes than before, or fewer.
    @Test(arguments: [0, 200, 250, 300, 65_000, 65_600])
    func `widens and narrows the offsets`(length: Int) throws {
        let long = JSONValue.string(String(repeating: "x", count: length))
        let members: [String: JSONValue] = ["a": 1, "b": "short", "c": long, "d": [2, 3]]
        let packed = try PackedValue(.object(members))
        let values: [JSONValue?] = [nil, 0, .string(String(repeating: "y", count: 65_530)), long]
        for name in ["a", "c", "e"] {
            for value in values {
                let edits = [name: value]
                #expect(try packed.setting(edits) == Self.fromScratch(members, edits))
            }
        }
    }

    @Test func `keeps to the limits as packing does`() throws {
        let packed = try PackedValue(["a": "12345678"])
        var deep = JSONValue.null
        for _ in 0..<511 { deep = .array([deep]) }
        #expect(try packed.setting(["b": deep]) == PackedValue(["a": "12345678", "b": deep]))
        #expect(throws: PackedError(.tooDeep)) { try packed.setting(["b": .array([deep])]) }
        #expect(throws: PackedError(.notFinite)) { try packed.setting(["b": .double(.infinity)]) }
        let size = try PackedValue(["a": "12345678", "b": "1234"]).bytes.count
        let edits: [String: JSONValue?] = ["b": "1234"]
        _ = try packed.setting(edits, limits: JSONLimits(sizeMax: size))
        #expect(throws: PackedError(.tooLarge)) {
            try packed.setting(edits, limits: JSONLimits(sizeMax: size - 1))
        }
        #expect(throws: PackedError.self) { try PackedValue([1]).setting(edits) }
    }

    @Test func `of no name that is there gives the same bytes`() throws {
        let packed = try PackedValue(["a": 1])
        #expect(try packed.setting([:]) == packed)
        #expect(try packed.setting(["b": nil]) == packed)
    }
}
