import Foundation
import SettleDocuments
import Testing

@Suite struct PackedValueTests {
    /// The worked example of Docs/Formats/PackedDocuments.md, byte by byte.
    @Test func `the documented example is what is written`() throws {
        let text =
            #"{"type":"city","population":29774,"latitude":35.75,"name":"Žd","#
            + #""tags":["a",true,null,-1],"area":{}}"#
        let expected = [
            "89 06", "07 14 1D 2B 38 42", "04 61 72 65 61", "89 00",
            "08 6C 61 74 69 74 75 64 65", "A3 40 41 E0", "04 6E 61 6D 65", "03 C5 BD 64",
            "0A 70 6F 70 75 6C 61 74 69 6F 6E", "91 74 4E", "04 74 61 67 73", "86 06",
            "01 61", "82", "80", "98 00", "04 74 79 70 65", "04 63 69 74 79",
        ]
        let packed = try JSONText.packed(from: Array(text.utf8))
        #expect(hexadecimal(packed.bytes) == expected.joined(separator: " "))
        let page = try String(
            contentsOf: projectFile("Docs/Formats/PackedDocuments.md"), encoding: .utf8)
        for piece in expected { #expect(page.contains("`\(piece)`"), "the page lacks \(piece)") }
    }

    @Test(
        arguments: [
            (.null, "80"), (false, "81"), (true, "82"), (0, "40"), (63, "7F"), (64, "90 40"),
            (255, "90 FF"), (256, "91 01 00"), (-1, "98 00"), (-256, "98 FF"), (-257, "99 01 00"),
            (.integer(.max), "97 7F FF FF FF FF FF FF FF"),
            (.integer(.min), "9F 7F FF FF FF FF FF FF FF"), (0.0, "A0"), (-0.0, "A1 80"),
            (1.0, "A2 3F F0"),
            (0.1, "A8 3F B9 99 99 99 99 99 9A"), ("", "00"), ("é", "02 C3 A9"), ([], "86 00"),
            ([:], "89 00"), ([[1]], "86 03 86 01 41"), (["a": 1], "89 01 03 01 61 41"),
        ] as [(JSONValue, String)])
    func `a value has one packed form`(value: JSONValue, expected: String) throws {
        let packed = try PackedValue(value)
        #expect(hexadecimal(packed.bytes) == expected)
        #expect(try packed.value() == value)
    }

    @Test(arguments: [
        "90 3F", "91 00 40", "97 80 00 00 00 00 00 00 00", "9F 80 00 00 00 00 00 00 00", "99 00 01",
        "A1 00", "A3 3F F0 00", "A2 7F F0", "83 00", "83 01 61", "84 00 40", "87 00 00",
        "8A 00 00", "8A 00 01 00 03 01 61 41", "89 02 03 06 01 62 41 01 61 41",
        "89 02 03 06 01 61 41 01 61 41", "89 01 02 40 40", "89 01 02 01 61", "89 01 04 01 61 41 41",
        "8C", "FF", "80 80", "", "01 80", "86 01 FF", "89 02 04 08 02 C3 A9 41 01 61 41",
    ])
    func `what is not canonical is refused`(bytes: String) {
        let stored = PackedValue(
            stored: bytes.split(separator: " ").compactMap { UInt8($0, radix: 16) })
        #expect(throws: PackedError.self) { try stored.check() }
        #expect(throws: PackedError.self) { try stored.value() }
    }

    @Test func `names that are canonically equivalent cannot stand side by side`() {
        let stored = PackedValue(
            stored: [0x89, 2, 5, 9, 3, 0x65, 0xCC, 0x81, 0x41, 2, 0xC3, 0xA9, 0x41])
        #expect(throws: PackedError.self) { try stored.check() }
        #expect(throws: PackedError.self) { try stored.value() }
        #expect(throws: PackedError.self) { try stored.memberNames() }
    }

    @Test(arguments: [0, 1, 63, 64, 255, 256, 65535, 65536, 70000])
    func `strings, arrays and objects of every width come back`(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let values: [JSONValue] = [
            .string(text), [.string(text)], ["a": .string(text), "b": 1],
            .array(Array(repeating: 1, count: length)),
            .object(
                Dictionary(uniqueKeysWithValues: (0..<min(length, 3000)).map { ("n\($0)", 1) })),
            .object([text: 1]),
        ]
        for value in values {
            let packed = try PackedValue(value)
            try packed.check()
            #expect(try packed.value() == value)
        }
        #expect(try PackedValue(["a": .string(text), "b": 1]).member("b") == 1)
    }

    @Test func `a member is found by its name and nothing else`() throws {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                members[JSONValue.randomText(using: &generator)] = .random(
                    depth: 1, using: &generator)
            }
            let packed = try PackedValue(.object(members))
            let names = members.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            #expect(
                try packed.memberNames().elementsEqual(
                    names, by: { Array($0.utf8) == Array($1.utf8) }))
            for (name, value) in members {
                #expect(try packed.member(name) == value, "seed \(seed)")
                #expect(try packed.packedMember(name)?.value() == value, "seed \(seed)")
                #expect(try packed.member(name + "?") == nil, "seed \(seed)")
            }
        }
        let nested = try PackedValue(["a": ["b": ["c": 5]], "d": [1]])
        #expect(try nested.member(at: ["a", "b", "c"]) == 5)
        #expect(try nested.member(at: ["a", "x", "c"]) == nil)
        #expect(try nested.member(at: ["d", "b"]) == nil)
        #expect(try nested.member(at: []) == nested.value())
        #expect(try PackedValue([1]).member("a") == nil)
        #expect(try PackedValue([1]).memberNames() == [])
    }

    @Test func `a member is read although its neighbours are damaged`() throws {
        var bytes = try PackedValue(["a": "xyz", "b": 5, "c": "pqr"]).bytes
        let damaged = try #require(bytes.lastIndex(of: UInt8(ascii: "p")))
        bytes[damaged] = 0xFF
        let packed = PackedValue(stored: bytes)
        #expect(try packed.member("b") == 5)
        #expect(throws: PackedError.self) { try packed.member("c") }
        #expect(throws: PackedError.self) { try packed.check() }
    }

    @Test func `every mutation of a byte and every truncation is decoded or refused`() throws {
        let samples: [JSONValue] = [
            [
                "type": "city", "n": 29774, "x": 35.75, "tags": ["a", true, .null, -1],
                "o": ["é": [:]],
            ],
            ["a": .string(String(repeating: "y", count: 300)), "b": [[1, 2.5], []]],
            [[[["k": [1, "two", 3.0]]]], "\u{0}é😀", .integer(.min)],
        ]
        for sample in samples {
            let sound = try PackedValue(sample).bytes
            for length in 0..<sound.count {
                let cut = PackedValue(stored: Array(sound.prefix(length)))
                #expect(throws: PackedError.self) { try cut.check() }
                exercise(cut)
            }
            // The long run of equal letters adds nothing new.
            for place in sound.indices where place < 20 || place > sound.count - 32 {
                for byte in UInt8.min...UInt8.max {
                    var bytes = sound
                    bytes[place] = byte
                    exercise(PackedValue(stored: bytes))
                }
            }
        }
    }

    @Test func `random bytes are decoded or refused`() {
        for seed in 0..<4000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let tags: [UInt8] = [0x86, 0x87, 0x88, 0x89, 0x8A, 0x8B, 0x83, 0x84, 0x85]
            var bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator) >> (generator.next() % 6)
            }
            bytes.insert(tags.randomElement(using: &generator) ?? 0x86, at: 0)
            exercise(PackedValue(stored: bytes))
        }
    }

    /// Calls everything; what passes `check` must be readable and canonical, and nothing else is.
    private func exercise(_ packed: PackedValue) {
        let isSound = (try? packed.check()) != nil
        let value = try? packed.value()
        let text = try? JSONText.text(of: packed)
        if isSound != (value != nil) || isSound != (text != nil) {
            Issue.record("check, value and text differ on \(hexadecimal(packed.bytes))")
        }
        if let value, (try? PackedValue(value)) != packed {
            Issue.record("not canonical: \(hexadecimal(packed.bytes))")
        }
        var key: [UInt8] = []
        _ = try? Collator(.raw).append(packed.bytes.span, in: 0..<packed.bytes.count, to: &key)
        _ = try? packed.member("type")
        _ = try? packed.member(at: ["o", "é"])
        _ = try? packed.packedMember("b")
        _ = try? packed.memberNames()
    }

    @Test func `NaN and infinities are refused`() {
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: PackedError.self) { try PackedValue(["a": .double(value)]) }
        }
    }

    @Test func `equal values have equal bytes and different ones do not`() throws {
        let values: [JSONValue] = [
            .null, false, true, 0, 0.0, -0.0, 1, 1.0, "", "1", "é", "e\u{301}", [], [[]], [.null],
            [:],
            ["a": 1], ["a": 1.0], ["é": 1], ["e\u{301}": 1], ["a": 1, "b": 2], ["b": 2, "a": 1],
        ]
        for left in values {
            for right in values {
                let packedEqual = try PackedValue(left) == PackedValue(right)
                #expect((left == right) == packedEqual, "\(left) \(right)")
                if left == right { #expect(left.hashValue == right.hashValue) }
            }
        }
    }

    @Test func `real documents are smaller packed than as compact text`() throws {
        let lines = try Data(contentsOf: projectFile("Fixtures/Documents/cities.ndjson"))
            .prefix(60_000).split(separator: UInt8(ascii: "\n")).dropLast()
        var textSize = 0
        var packedSize = 0
        for line in lines {
            let packed = try JSONText.packed(from: Array(line))
            textSize += line.count
            packedSize += packed.bytes.count
            #expect(try JSONText.packed(from: JSONText.text(of: packed)) == packed)
        }
        #expect(lines.count > 100)
        #expect(packedSize * 100 < textSize * 92)
    }
}
