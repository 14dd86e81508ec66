import Testing

@testable import SettleDocuments

/// Whole numbers outside the range of Int64.
@Suite struct `Large integers` {
    private func read(
        _ text: String, _ largeIntegers: JSONLargeIntegers
    ) throws(JSONError) -> JSONValue {
        try JSONText.value(from: Array(text.utf8), largeIntegers: largeIntegers)
    }

    @Test(arguments: [
        ("9223372036854775808", 9_223_372_036_854_775_808.0),
        ("-9223372036854775809", -9_223_372_036_854_775_808.0),
        ("100000000000000000000", 1e20), ("12345678901234567890", 12_345_678_901_234_567_890.0),
        ("1" + String(repeating: "0", count: 308), 1e308),
    ])
    func `become the nearest double where that is asked for`(
        text: String, value: Double
    ) throws {
        #expect(try read(text, .rounded) == .double(value))
        #expect(
            try read(#"{"a":[\#(text),{"b":\#(text)}]}"#, .rounded)
                == ["a": [.double(value), ["b": .double(value)]]])
        #expect { try read(text, .refused) } throws: {
            ($0 as? JSONError)?.reason == .integerOutOfRange
        }
    }

    @Test func `beyond the range of doubles are wrong all the same`() {
        let text = "1" + String(repeating: "0", count: 309)
        for largeIntegers in [JSONLargeIntegers.exact, .rounded] {
            #expect { try read(text, largeIntegers) } throws: {
                ($0 as? JSONError)?.reason == .doubleOutOfRange
            }
        }
    }

    @Test(arguments: [
        // What JavaScript writes for 2^63, 2^64 and 1e20, and what Python does.
        ("9223372036854776000", 9_223_372_036_854_775_808.0),
        ("9223372036854775808", 9_223_372_036_854_775_808.0),
        ("18446744073709552000", 18_446_744_073_709_551_616.0),
        ("-9223372036854776000", -9_223_372_036_854_775_808.0),
        ("100000000000000000000", 1e20), ("123456789012345680000", 123_456_789_012_345_680_000.0),
    ])
    func `become a double when that loses nothing`(text: String, value: Double) throws {
        #expect(try read(text, .exact) == .double(value))
    }

    @Test(arguments: [
        "12345678901234567890", "9223372036854775809", "-9223372036854775809",
        "100000000000000000001",
    ])
    func `are refused where they would lose digits`(text: String) {
        #expect { try read(text, .exact) } throws: {
            ($0 as? JSONError)?.reason == .integerOutOfRange
        }
    }

    @Test func `leave the others as they are`() throws {
        for text in ["9223372036854775807", "-9223372036854775808", "0", "17"] {
            let number = try #require(Int64(text))
            for largeIntegers in [JSONLargeIntegers.refused, .exact, .rounded] {
                #expect(try read(text, largeIntegers) == .integer(number))
            }
        }
    }

    @Test func `tell what a program writes that has nothing but doubles`() {
        // 2^53 + 1 is written as 2^53; 1234567890123456789 as its first 17 digits.
        #expect((9_007_199_254_740_992.0).isWritten(as: 9_007_199_254_740_992))
        #expect(!(9_007_199_254_740_992.0).isWritten(as: 9_007_199_254_740_993))
        let double = Double(1_234_567_890_123_456_789)
        #expect(double.isWritten(as: 1_234_567_890_123_456_800))
        #expect(double.isWritten(as: 1_234_567_890_123_456_768))
        #expect(!double.isWritten(as: 1_234_567_890_123_456_790))
        #expect((-double).isWritten(as: -1_234_567_890_123_456_800))
        #expect(!double.isWritten(as: -1_234_567_890_123_456_800))
        #expect((5.0).isWritten(as: 5))
        #expect(!(5.5).isWritten(as: 5))
        #expect((0.0).isWritten(as: 0))
    }
}

/// What is read of texts of which parts are wrong.
@Suite struct `JSON salvage` {
    private func salvage(_ text: String, levels: Int = 3) throws -> JSONSalvage {
        try JSONSalvage(Array(text.utf8), levels: levels, largeIntegers: .rounded)
    }

    private func paths(_ salvage: JSONSalvage) -> [[JSONSalvage.Step]] {
        salvage.faults.map(\.path)
    }

    @Test func `is the whole of a sound text`() throws {
        let found = try salvage(#"[{"a":100000000000000000000}]"#)
        #expect(found.value == [["a": 1e20]])
        #expect(found.faults.isEmpty)
    }

    @Test(arguments: [
        ("1e400", "doubleOutOfRange"), ("NaN", "unexpectedByte"), ("-Infinity", "invalidNumber"),
        (#""\ud800""#, "loneSurrogate"), (#"{"x":1,"x":2}"#, "duplicateName"),
        ("\"\u{1}\"", "controlCharacter"), ("01", "invalidNumber"),
        (String(repeating: "[", count: 600) + String(repeating: "]", count: 600), "tooDeep"),
    ])
    func `leaves out a member that is wrong, and names it`(text: String, reason: String) throws {
        let found = try salvage(
            #" [ {"id":"a", "n": \#(text) , "s":"], }"} , {"id":"b"} ] "#, levels: 2)
        #expect(found.value == [["id": "a", "s": "], }"], ["id": "b"]])
        #expect(paths(found) == [[.element(0), .member("n")]])
        #expect("\(found.faults[0].error.reason)" == reason)
    }

    @Test func `leaves out bytes that are not UTF-8`() throws {
        let text = Array(#"[{"id":"a","n":""#.utf8) + [0xFF] + Array(#""},{"id":"b"}]"#.utf8)
        let found = try JSONSalvage(text, levels: 3)
        #expect(found.value == [["id": "a"], ["id": "b"]])
        #expect(paths(found) == [[.element(0), .member("n")]])
    }

    @Test func `keeps the first of two members of one name, and names it`() throws {
        let found = try salvage(#"[{"id":"a","n":1,"n":2,"m":3}]"#)
        #expect(found.value == [["id": "a", "n": 1, "m": 3]])
        #expect(paths(found) == [[.element(0), .member("n")]])
        #expect(found.faults[0].error.reason == .duplicateName)
    }

    @Test func `has null for an element that is wrong`() throws {
        let found = try salvage(#"{"items":[1,nul,{"a" 1},[1,2}],"count":2}"#)
        #expect(found.value == ["items": [1, .null, .null, .null], "count": 2])
        let places = paths(found)
        #expect(places == (1...3).map { [.member("items"), .element($0)] })
    }

    @Test func `takes a part for itself that is too deep only within the whole`() throws {
        let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
        let found = try salvage(#"{"items":[{"id":"a","n":\#(deep)}]}"#)
        #expect(found.faults.isEmpty)
        #expect(found.value["items"]?[0]?["id"] == "a")
    }

    @Test(arguments: [
        "", "[", #"[{"id":"a","n":1e400}"#, #"{"a":1e400"#, "[1e400] x", "1e400", #"{"a":"b}"#,
        #"{a:1}"#, "[1,]", "{\"a\":}", "\u{FEFF}[1]",
    ])
    func `is none of a text that is wrong itself or cut off`(text: String) {
        #expect(throws: JSONError.self) { try salvage(text) }
    }

    @Test func `does not survive a text that is too large`() {
        let text = Array(#"[{"a":"bbbbbbbbbbbbbbbbbbbb"}]"#.utf8)
        #expect(throws: JSONError.self) {
            try JSONSalvage(text, levels: 3, limits: JSONLimits(sizeMax: 20))
        }
    }
}
