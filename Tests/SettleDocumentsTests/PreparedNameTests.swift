import Testing

@testable import SettleDocuments

@Suite struct `A prepared name` {
    @Test func `finds in every object what the text finds`() throws {
        let names = ["", "a", "b", "amount", "a name of more than eight bytes", "ü", "a\u{0}"]
        let prepared = names.map { PreparedName($0) }
        for seed in 0..<150 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed &+ 500)
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...9, using: &generator) {
                members[JSONValue.randomText(using: &generator)] = .null
            }
            for name in names where Bool.random(using: &generator) {
                members[name] = .random(depth: 1, using: &generator)
            }
            let packed = try PackedValue(.object(members))
            let view = PackedView(packed.bytes.span)
            for (name, prepared) in zip(names, prepared) {
                #expect(try view.member(prepared)?.value() == members[name], "seed \(seed)")
                let path = PackedPath([name])
                let whole = 0..<packed.bytes.count
                for _ in 0..<2 {
                    let place = try path.range(in: packed.bytes.span, whole)
                    #expect((place != nil) == (members[name] != nil), "seed \(seed)")
                }
            }
        }
    }

    @Test func `finds a member again where names before and after it differ`() throws {
        let name = PreparedName("m")
        for objects in [
            ["a", "b", "m"], ["m"], ["m", "z"], ["a", "m"], ["a", "z"], ["l", "m"],
        ] {
            let members = Dictionary(
                uniqueKeysWithValues: objects.map { ($0, JSONValue.string($0)) })
            let packed = try PackedValue(.object(members))
            #expect(
                try PackedView(packed.bytes.span).member(name)?.string == members["m"]?.stringValue)
        }
    }

    @Test func `is not found in what is no object`() throws {
        let name = PreparedName("m")
        for value in [.null, 1, "m", ["m"], [:]] as [JSONValue] {
            let packed = try PackedValue(value)
            #expect(try PackedView(packed.bytes.span).member(name)?.value() == nil)
        }
    }

    @Test func `finds a sound member or tells of damage, whatever the bytes are`() throws {
        let packed = try PackedValue(["ab": 1, "cd": "text", "ef": 300, "gh": .null])
        let names = ["ab", "cd", "ef", "gh"].map { PreparedName($0) }
        for place in packed.bytes.indices {
            let flipped = (0..<8).map { packed.bytes[place] ^ (1 << UInt8($0)) }
            for byte in flipped + [0, 0x3F, 0x40, 0x80, 0x89, 0xA0, 0xFF] {
                var bytes = packed.bytes
                bytes[place] = byte
                let isSound = (try? PackedForm.check(bytes.span, in: 0..<bytes.count)) != nil
                let view = PackedView(bytes.span)
                for name in names {
                    do {
                        let found = try view.member(name)?.value()
                        if isSound { #expect(try found == view.member(name.name.text)?.value()) }
                    } catch {
                        #expect(!isSound)
                    }
                }
            }
        }
    }

    @Test func `is found by threads that ask different objects at once`() async throws {
        let name = PreparedName("m")
        let packed = try ["a", "b", "c", "z"].indices.map { count in
            var members: [String: JSONValue] = ["m": .integer(Int64(count)), "z": 0]
            for before in ["a", "b", "c"].prefix(count) { members[before] = 0 }
            return try PackedValue(.object(members))
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    try (0..<5_000).allSatisfy { round in
                        let count = (task &* 3 &+ round) & 3
                        let bytes = packed[count].bytes
                        let found = try PackedView(bytes.span).member(name)?.integer
                        return found == Int64(count)
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test
    func `tells of damage, or finds a value, where an object is cut after the remembered place`()
        throws
    {
        let names = (0..<9).map { "member\($0)" }
        let wide = try PackedValue(
            .object(Dictionary(uniqueKeysWithValues: names.map { ($0, .string($0)) })))
        let last = PreparedName("member8")
        for length in 0..<wide.bytes.count {
            #expect(try PackedView(wide.bytes.span).member(last)?.string == "member8")
            let cut = Array(wide.bytes.prefix(length))
            #expect(throws: PackedError.self) {
                let view = PackedView(cut.span)
                _ = try view.member(last)?.value()
            }
        }
        for count in 0..<9 {
            #expect(try PackedView(wide.bytes.span).member(last)?.string == "member8")
            let narrow = try PackedValue(
                .object(
                    Dictionary(
                        uniqueKeysWithValues: names.prefix(count).map { ($0, .string($0)) })))
            #expect(try PackedView(narrow.bytes.span).member(last)?.string == nil)
        }
    }

    @Test func `is laid out as its bytes compare`() {
        for text in ["", "a", "ab\u{0}", "seven77", "eight888", "nine99999", "é", "中文字", "a😀b"] {
            let name = ByteName(text)
            let bytes = Array(text.utf8)
            #expect(name.count == bytes.count)
            #expect(name.prefix == bytes.span.prefix(in: 0..<bytes.count))
            #expect(name.isSame(as: ByteName(text)))
            #expect(!name.isSame(as: ByteName(text + "\u{0}")))
            #expect(!name.isSame(as: ByteName(text + "longer than eight bytes")))
            for other in ["", "a", "nine99998", "nine999990", "nine9999", "中文"].map({
                Array($0.utf8)
            }) {
                let order = other.span.order(of: text, and: 0..<other.count)
                #expect((order < 0) == bytes.lexicographicallyPrecedes(other))
                #expect((order == 0) == (bytes == other))
                #expect(name.isSame(in: other.span, 0..<other.count) == (bytes == other))
            }
        }
    }
}

@Suite struct `Leaves that are read without a look at their kind` {
    /// What the general way says of bytes that one value should fill.
    private static func general(_ bytes: [UInt8]) -> JSONValue? {
        try? PackedForm.value(of: bytes.span, in: 0..<bytes.count)
    }

    private static func expectSame(_ bytes: [UInt8]) {
        let value = general(bytes)
        let range = 0..<bytes.count
        let integer = Result { try PackedForm.integer(of: bytes.span, in: range) }
        let string = Result { try PackedForm.string(of: bytes.span, in: range) }
        if let value {
            if (try? integer.get()) != value.integerValue
                || (try? string.get()) != value.stringValue
            {
                Issue.record("The bytes \(bytes) are read in two ways.")
            }
        } else if PackedForm.smallInteger(bytes.span, in: range) != nil
            || (try? string.get()).flatMap(\.self) != nil
        {
            Issue.record("The bytes \(bytes) are read as a value, and are none.")
        }
    }

    @Test func `are the same for all values of at most two bytes`() {
        Self.expectSame([])
        for first in 0...255 as ClosedRange<UInt8> {
            Self.expectSame([first])
            for second in 0...255 as ClosedRange<UInt8> { Self.expectSame([first, second]) }
        }
    }

    @Test func `are the same for values of three and four bytes`() {
        for first in 0...255 as ClosedRange<UInt8> {
            for second in [0, 1, 0x3F, 0x40, 0x7F, 0x80, 0xC3, 0xFF] as [UInt8] {
                for third in [0, 1, 0x3F, 0x40, 0x7F, 0x80, 0xA9, 0xFF] as [UInt8] {
                    Self.expectSame([first, second, third])
                    Self.expectSame([first, second, third, 0x41])
                }
            }
        }
    }

    @Test(arguments: [-1, 0, 1, 63, 64, 255, 256, 65_535, 65_536, .max, .min] as [Int64])
    func `are the integers that were packed`(number: Int64) throws {
        let packed = try PackedValue(.integer(number))
        #expect(try PackedView(packed.bytes.span).integer == number)
    }
}
