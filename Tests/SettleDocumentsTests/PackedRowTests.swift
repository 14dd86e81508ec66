import SettleDocuments
import Testing

/// What is done with rows without values in between, beside the same with values.
@Suite(.serialized) struct `Rows in packed form` {
    private static let names = ["", "@", "a", "aa", "b", "eight678", "eight6789", "id", "z\u{E9}"]

    private static func name(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }

    private static func someNames(using generator: inout SeededGenerator) -> [String] {
        names.filter { _ in Bool.random(using: &generator) }
    }

    /// The members of some names; each may be handed over once.
    private static func found(
        _ names: [String], in packed: PackedValue
    ) throws -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        let view = PackedView(packed.bytes.span)
        try view.forEachMember(of: PackedNames(names)) { place, member in
            let value = try member.value()
            let previous = found.updateValue(value, forKey: names[place])
            if previous != nil { Issue.record("\(names[place]) comes twice.") }
        }
        return found
    }

    @Test func `part into what stays and what is taken, still packed`() throws {
        for seed in UInt64(0)..<300 {
            var generator = SeededGenerator(seed: seed)
            let members = Dictionary(
                uniqueKeysWithValues: Self.someNames(using: &generator).map {
                    ($0, JSONValue.random(depth: 2, using: &generator))
                })
            let wanted = Self.someNames(using: &generator)
            let parts = try #require(
                try PackedValue(.object(members)).partingPacked(into: wanted.count) { bytes, name in
                    wanted.firstIndex(of: Self.name(bytes, name)).map { .taken($0) } ?? .kept
                })
            let rest = members.filter { !wanted.contains($0.key) }
            #expect(parts.rest == (try PackedValue(.object(rest))), "seed \(seed)")
            let values = try wanted.map { name in try members[name].map { try PackedValue($0) } }
            #expect(parts.taken == values, "seed \(seed)")
        }
        let object = try PackedValue(["a": 1, "b": 2])
        let isParted = try object.partingPacked(into: 0) { bytes, name in
            Self.name(bytes, name) == "b" ? .odd : .kept
        }
        #expect(isParted == nil)
        let array = try PackedValue([1])
        #expect(try array.partingPacked(into: 0) { _, _ in .kept } == nil)
    }

    @Test func `hand over the members of some names, each once`() throws {
        for seed in UInt64(0)..<300 {
            var generator = SeededGenerator(seed: seed)
            let members = Dictionary(
                uniqueKeysWithValues: Self.someNames(using: &generator).map {
                    ($0, JSONValue.random(depth: 1, using: &generator))
                })
            let sought = Self.someNames(using: &generator)
            let found = try Self.found(sought, in: try PackedValue(.object(members)))
            #expect(found == members.filter { sought.contains($0.key) }, "seed \(seed)")
        }
        #expect(try Self.found(["a"], in: try PackedValue(7)).isEmpty)
    }

    @Test func `are built member by member`() throws {
        for seed in UInt64(0)..<300 {
            var generator = SeededGenerator(seed: seed)
            let members = Self.someNames(using: &generator).map {
                ($0, JSONValue.random(depth: 2, using: &generator))
            }
            var builder = PackedObjectBuilder(reservingCapacity: 10)
            for (name, value) in members {
                let packed = try PackedValue(value)
                try builder.append(name) { $0.append(packed) }
            }
            let built = builder.finish()
            let expected = try PackedValue(.object(Dictionary(uniqueKeysWithValues: members)))
            #expect(built == expected, "seed \(seed)")
        }
    }

    @Test func `have strings with escapes at any place`() throws {
        let odd = ["\"", "\\", "\n", "\u{1}", "\u{E9}", "\u{1F600}", "\u{7F}"]
        for length in 0..<26 {
            for place in 0...length {
                for character in odd {
                    var text = String(repeating: "x", count: length)
                    text.insert(
                        contentsOf: character, at: text.index(text.startIndex, offsetBy: place))
                    let value = JSONValue.array([.string(text), 1])
                    let written = try JSONText.text(of: PackedValue(value))
                    #expect(written == JSONText.text(of: value))
                }
            }
        }
    }

    @Test func `are not written where a string is not UTF-8`() throws {
        let bytes = try PackedValue(.string("0123456789\u{E9}0123456789")).bytes
        for place in bytes.indices.dropFirst() {
            var damaged = bytes
            damaged[place] = 0xFF
            #expect(throws: PackedError.self, "at \(place)") {
                try JSONText.text(of: PackedValue(stored: damaged))
            }
        }
    }

    @Test func `have times that are appended as they are written`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<1_000 {
            let microseconds = Int64.random(
                in: -70_000_000_000_000_000...300_000_000_000_000_000, using: &generator)
            let isShort = Bool.random(using: &generator)
            let time = Timestamp(
                microseconds: isShort ? microseconds / 1_000 * 1_000 : microseconds)
            var text = Array("before".utf8)
            time.appendISO8601(to: &text)
            #expect(String(decoding: text, as: UTF8.self) == "before" + time.iso8601)
        }
    }
}
