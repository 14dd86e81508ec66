import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleInspector

@Suite struct `Texts of pages` {
    @Test func `are escaped byte by byte, whatever is put together with what`() {
        var random = SeededGenerator()
        let pieces = ["<", ">", "&", "\"", "'", "`", "\u{301}", "\u{200D}", "a", "é", "🏳️‍🌈", "\u{0}"]
        for _ in 0..<500 {
            let text = (0..<8).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let escaped = HTMLText.escaped(text)
            for byte in "<>\"'`".utf8 { #expect(!escaped.utf8.contains(byte), "\(random)") }
            let back = [
                ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#96;", "`"),
                ("&amp;", "&"),
            ].reduce(Array(escaped.utf8)) { bytes, pair in
                Array(String(decoding: bytes, as: UTF8.self).utf8).replacing(
                    Array(pair.0.utf8), with: Array(pair.1.utf8))
            }
            #expect(back.elementsEqual(text.utf8), "\(random)")
        }
    }

    @Test func `spell out what is invisible and changes the rest`() {
        #expect(VisibleText.of("a\u{202E}b\u{0}\n\u{2066}é🏳️") == "a\\u202Eb\\u0000\\u000A\\u2066é🏳️")
        #expect(VisibleText.beginning(of: "abcdef", characters: 3) == "abc…")
        #expect(VisibleText.beginning(of: "abc", characters: 3) == "abc")
    }

    @Test func `survive addresses`() {
        var random = SeededGenerator()
        for _ in 0..<500 {
            let scalars = (0..<6).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0..<0x3000, using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let encoded = Percent.encoded(text)
            #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            #expect(Percent.decoded(encoded)?.utf8.elementsEqual(text.utf8) == true)
            let values = FormValues(parsing: "a=\(encoded)&b=1")
            #expect(values?["a"]?.utf8.elementsEqual(text.utf8) == true, "\(random)")
        }
        for wrong in ["%", "%a", "%zz", "%ff", "%c3", "%e0%80%80"] {
            #expect(Percent.decoded(wrong) == nil)
        }
        #expect(FormValues(parsing: "a=1+2&a=3&c")?["a"] == "1 2")
        #expect(FormValues(parsing: "a=1+2&a=3&c")?["c"] == "")
    }

    @Test func `write counts, sizes and times`() {
        #expect(Amounts.count(0) == "0")
        #expect(Amounts.count(-1_234_567) == "-1\u{202F}234\u{202F}567")
        #expect(Amounts.count(1, "row") == "1 row" && Amounts.count(2, "row") == "2 rows")
        #expect(Amounts.bytes(1_023) == "1023 bytes" && Amounts.bytes(1_536) == "1.5 KiB")
        #expect(Amounts.bytes(5 << 40) == "5120.0 GiB")
        #expect(
            Amounts.time(.seconds(3_725)) == "1 h 2 min" && Amounts.time(.milliseconds(5)) == "5 ms"
        )
    }

    @Test func `of JSON are the value again`() throws {
        let value: JSONValue = [
            "b": [1, 2.5, .null, true, [:], []], "a": "\u{0}<", "c": ["x": [["y": -0.0]]],
        ]
        let text = JSONLayout.indented(value)
        #expect(try JSONValue(jsonText: text) == value)
        #expect(text.hasPrefix("{\n  \"a\""))
    }

    @Test func `that are dates are known`() {
        let expected = Date(timeIntervalSince1970: 1_767_312_000)
        #expect(KeyDate.date(of: "2026-01-02") == expected)
        #expect(KeyDate.date(of: "2026-01-02T00:00:00Z") == expected)
        #expect(KeyDate.date(of: .string(Amounts.date(expected))) == expected)
        #expect(Amounts.date(expected) == "2026-01-02T00:00:00.000Z")
        #expect(KeyDate.date(of: [2026, 1, 2]) == expected)
        for other in ["plum", "12", [1, 2], [2026, 99], [], 5] as [JSONValue] {
            #expect(KeyDate.date(of: other) == nil)
        }
    }
}
