import SettleDocuments
import Testing

@Suite struct JSONPackerTests {
    private func pack(
        _ text: String, taking name: String? = "id"
    ) throws(JSONError) -> (packed: PackedValue, taken: String?) {
        try JSONText.packedObject(from: Array(text.utf8).span, taking: name)
    }

    @Test(
        arguments: [
            (#"{"id":"a","b":1}"#, "a", ["b": 1]), (#"{"b":1,"id":"é"}"#, "é", ["b": 1]),
            (#"{"a":1,"id":"x\ny","z":[]}"#, "x\ny", ["a": 1, "z": []]),
            (#"{"\u0069d":"a"}"#, "a", [:]), (#" { "id" : "" } "#, "", [:]),
            (#"{"b":{"id":1},"ie":2,"i":3}"#, nil, ["b": ["id": 1], "ie": 2, "i": 3]),
            ("{}", nil, [:]), (#"{"id\u0000":1}"#, nil, ["id\u{0}": 1]),
        ] as [(String, String?, JSONValue)])
    func `the identifier is taken out of the outermost object`(
        text: String, taken: String?, rest: JSONValue
    ) throws {
        let result = try pack(text)
        #expect(result.taken == taken)
        #expect(try result.packed == PackedValue(rest))
    }

    @Test func `a long name is taken as well, and no name at all takes nothing`() throws {
        let name = "a name of more than eight bytes"
        let result = try pack(
            #"{"a name of more than 8 bytes":1,"a name of more than eight bytes":"x"}"#,
            taking: name)
        #expect(result.taken == "x")
        #expect(try result.packed.value() == ["a name of more than 8 bytes": 1])
        let whole = try pack(#"{"id":1}"#, taking: nil)
        #expect(whole.taken == nil)
        #expect(try whole.packed.value() == ["id": 1])
    }

    @Test(arguments: [
        (" [1]", "unexpectedKind", 1), ("12", "unexpectedKind", 0),
        (#"{"a":1,"id": 5}"#, "unexpectedKind", 13), (#"{"id":null}"#, "unexpectedKind", 6),
        (#"{"id":"a","id":"a"}"#, "duplicateName", 10), (#"{"id":"#, "unexpectedEnd", 6),
        (#"{"id":"a" "b":1}"#, "unexpectedByte", 10),
    ])
    func `what is no object or has an odd identifier is refused at its place`(
        text: String, reason: String, offset: Int
    ) {
        let error = #expect(throws: JSONError.self) { try pack(text) }
        #expect(error?.reason.description == reason)
        #expect(error?.byteOffset == offset)
    }

    @Test func `one packer packs many documents as new packers do`() throws {
        var packer = JSONPacker()
        for seed in 0..<400 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed &+ 31_000)
            let value = JSONValue.random(depth: 4, using: &generator)
            var text = Array(sprawlingText(of: value, using: &generator).utf8)
            #expect(try packer.pack(text.span) == PackedValue(value), "seed \(seed)")
            if Bool.random(using: &generator), !text.isEmpty {
                text.removeLast(Int.random(in: 1...text.count, using: &generator))
                let found = try? packer.pack(text.span)
                #expect(try found?.value() == NaiveJSON.value(text), "seed \(seed)")
            }
        }
    }

    @Test func `objects of every size are sorted and their twins found`() throws {
        for count in [2, 3, 15, 16, 17, 33, 64, 200, 1000] {
            var generator = SeededGenerator(seed: UInt64(count))
            var names = (0..<count).map { "name \($0 % 7) of \($0)" }
            names.shuffle(using: &generator)
            let text = "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
            let packed = try JSONText.packed(from: Array(text.utf8))
            #expect(
                try packed.memberNames()
                    == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            let twin = names.randomElement(using: &generator) ?? ""
            let twins = text.dropLast() + ",\"\(twin)\":1}"
            let error = #expect(throws: JSONError.self) {
                try JSONText.packed(from: Array(twins.utf8))
            }
            #expect(error?.byteOffset == text.utf8.count)
        }
    }

    @Test func `many threads pack at once`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 as Range<UInt64> {
                group.addTask {
                    for seed in 0..<50 as Range<UInt64> {
                        var generator = SeededGenerator(seed: task << 32 | seed)
                        let value = JSONValue.random(depth: 3, using: &generator)
                        let text = Array(sprawlingText(of: value, using: &generator).utf8)
                        let packed = try JSONText.packed(from: text)
                        let expected = try PackedValue(value)
                        #expect(packed == expected)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `every short text is read or refused as the oracle does`() {
        let alphabets = [
            (#"{}",:a1"#, 5), (#"[]1-,"#, 5), ("10.e+-", 4), ("\"\\u08d/\u{1}n", 4),
            ("tfnrueals", 4), ("{\"a\u{E9}:1}", 4),
        ]
        for (alphabet, lengthMax) in alphabets {
            let letters = Array(alphabet.utf8)
            for length in 0...lengthMax {
                var places = [Int](repeating: 0, count: length)
                repeat {
                    let text = places.map { letters[$0] }
                    let found = try? JSONText.value(from: text)
                    if found != NaiveJSON.value(text) { Issue.record("differs on \(text)") }
                } while Self.step(&places, letters.count)
            }
        }
    }

    /// Counts one on; false when every place has been through all letters.
    private static func step(_ places: inout [Int], _ base: Int) -> Bool {
        for index in places.indices {
            places[index] += 1
            if places[index] < base { return true }
            places[index] = 0
        }
        return false
    }
}
