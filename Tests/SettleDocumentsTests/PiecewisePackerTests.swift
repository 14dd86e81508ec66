import TestSupport
import Testing

@testable import SettleDocuments

@Suite struct `Text that is packed in pieces` {
    private static func text(_ value: JSONValue) -> [UInt8] { JSONText.text(of: value) }

    private static let leaves: [JSONValue] = [
        .null, true, 7, -1.5, "", "text with \"quotes\" and \\ , ] }", [:], [],
    ]
    private static let names = ["a", "é", "\u{1F600}", "x\ny", "K"]

    /// Objects, arrays and scalars, many of them small, with names that have escapes and accents.
    private static func value(_ generator: inout SeededGenerator, depth: Int) -> JSONValue {
        let count = Int.random(in: 0..<20, using: &generator)
        switch depth > 0 ? Int.random(in: 0..<9, using: &generator) : 8 {
        case 0...3:
            var members: [String: JSONValue] = [:]
            for number in 0..<count {
                let name = names[Int.random(in: 0..<names.count, using: &generator)]
                members["\(name)\(number)"] = value(&generator, depth: depth - 1)
            }
            return .object(members)
        case 4...7: return .array((0..<count).map { _ in value(&generator, depth: depth - 1) })
        default: return leaves[Int.random(in: 0..<leaves.count, using: &generator)]
        }
    }

    @Test(arguments: [1, 2, 3])
    func `has the bytes that it has at once`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let wide = JSONValue.array((0..<12_000).map { .object(["a": .integer($0)]) })
        let members = JSONValue.object(
            Dictionary(uniqueKeysWithValues: (0..<9_000).map { ("name\($0)", .integer($0)) }))
        let value: JSONValue = [
            "tree": .array((0..<6).map { _ in Self.value(&generator, depth: 4) }), "wide": wide,
            "deep": [["x": [wide, 1, members]]], "members": members, "z": 1, "": "empty",
        ]
        let text = Self.text(value)
        let spaced = Array(
            String(decoding: text, as: UTF8.self).replacing(",", with: " ,\n\t").utf8)
        let packed = try PackedValue(value)
        #expect(try JSONText.packedInPieces(from: text.span) == packed)
        // Commas in strings have something behind them now, too.
        let whole = try? JSONText.packed(from: spaced)
        #expect((try? JSONText.packedInPieces(from: spaced.span)) == whole)
    }

    private static let large = String(repeating: "{\"a\":1},", count: 20_000)

    @Test(arguments: [
        ("[#]", JSONError.Reason.unexpectedByte), ("[#1", .unexpectedEnd),
        ("[#,1]", .unexpectedByte), ("[#1}", .unexpectedByte),
        ("[#01]", .invalidNumber), ("[#1] 2", .trailingText),
        ("{\"a\":[#1],\"a\":2}", .duplicateName),
        ("{\"a\":[#1],\"b\":[#1],\"\\u0062\":0}", .duplicateName),
        ("{\"é\":[#1],\"e\u{301}\":[#1]}", .duplicateName),
        ("{\"a\":[#1] \"b\":2}", .unexpectedByte), ("{\"a\" [#1]}", .unexpectedByte),
        ("{[#1]}", .unexpectedByte), ("[#1 [#1]]", .unexpectedByte),
        ("[#\"\u{1}\"]", .controlCharacter), ("[#\"x]", .unexpectedEnd),
    ])
    func `is refused for the same reason and at the same place`(
        pattern: String, reason: JSONError.Reason
    ) throws {
        let bytes = Array(pattern.replacing("#", with: Self.large).utf8)
        let whole = #expect(throws: JSONError.self) { try JSONText.packed(from: bytes) }
        let pieces = #expect(throws: JSONError.self) {
            try JSONText.packedInPieces(from: bytes.span)
        }
        #expect(whole?.reason == reason)
        #expect(pieces?.reason == reason)
        if reason != .duplicateName { #expect(pieces?.byteOffset == whole?.byteOffset) }
    }

    @Test func `may be as deep as the limits say, and no deeper`() throws {
        func text(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + Self.large + "0"
                    + String(repeating: "]", count: depth)).utf8)
        }
        let limits = JSONLimits(depthMax: 100)
        _ = try JSONText.packedInPieces(from: text(99).span, limits: limits)
        let error = #expect(throws: JSONError.self) {
            try JSONText.packedInPieces(from: text(100).span, limits: limits)
        }
        #expect(error?.reason == .tooDeep)
    }

    @Test func `may be large because of one string`() throws {
        let value: JSONValue = ["a": .string(String(repeating: "é\n", count: 100_000)), "b": [1]]
        #expect(
            try JSONText.packedInPieces(from: Self.text(value).span) == PackedValue(value))
    }
}
