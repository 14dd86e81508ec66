import Foundation
import HTTPTypes
import Settle
import SettleOData
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

@Suite(.serialized) struct `Wire forms` {
    @Test func `any version survives the header`() throws {
        for version in ["MQ==", "", "a\"b", "\"", "a\\b", "\\\"", "a,b", "W/x", "*"] {
            let header = EntityTag(version: version).text
            // A backslash before a quote reads as the escape it looks like.
            guard !version.contains("\\\"") else { continue }
            #expect(
                try EntityTag.expectation(ifMatch: [header]) == .version(version), "\(version)")
            #expect(EntityTag.matches(version, ifNoneMatch: ["\"no\",\(header)"]))
        }
    }

    @Test func `several lines of If-Match are refused like several tags`() {
        #expect(throws: Problem.self) {
            try EntityTag.expectation(ifMatch: ["\"a\"", "\"b\""])
        }
        #expect(throws: Problem.self) { try EntityTag.expectation(ifMatch: ["*", "\"b\""]) }
    }

    @Test func `percent-encoding goes there and back`() {
        var generator = SeededGenerator()
        for _ in 0..<300 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<9, using: &generator) {
                let value = UInt32.random(in: 0..<0x1_1000, using: &generator)
                view.append(Unicode.Scalar(value) ?? "x")
            }
            let text = String(view)
            let encoded = PercentEncoding.encoded(text)
            #expect(PercentEncoding.decoded(encoded[...]) == text, "\(generator)")
            #expect(PercentEncoding.decoded(encoded[...], plusIsSpace: true) == text)
            #expect(encoded.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test(arguments: ["%", "%4", "%zz", "%ff", "%C3", "%C3%28", "%ED%A0%80"])
    func `bad percent-encoding is refused`(text: String) {
        #expect(PercentEncoding.decoded(text[...]) == nil)
    }

    @Test func `base64url goes there and back`() {
        var generator = SeededGenerator()
        for length in 0..<80 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let text = Base64URL.text(of: bytes)
            #expect(!text.contains { "+/=".contains($0) })
            #expect(Base64URL.bytes(of: text) == bytes, "\(generator)")
        }
        #expect(Base64URL.bytes(of: "a") == nil)
        #expect(Base64URL.bytes(of: "a=") == nil)
        #expect(Base64URL.bytes(of: "a b") == nil)
    }

    @Test func `base64 is Foundation's`() {
        var generator = SeededGenerator()
        for length in 0..<80 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var text = Array("before".utf8)
            Base64.append(bytes, to: &text)
            #expect(
                String(decoding: text, as: UTF8.self)
                    == "before" + Data(bytes).base64EncodedString(), "\(generator)")
        }
    }

    @Test func `names of tables make different names of databases`() throws {
        let letters = ["a", "A", "b", "_", "1"]
        var names: Set<String> = [""]
        var all: Set<String> = []
        for _ in 0..<4 {
            names = Set(names.flatMap { name in letters.map { name + $0 } })
            all.formUnion(names.filter { $0.first != "1" })
        }
        let databases = try Set(all.map { try TableName($0).databaseName })
        #expect(databases.count == all.count)
        #expect(databases.allSatisfy { $0 == $0.lowercased() })
        let longest = String(repeating: "Z", count: 63)
        #expect(try TableName(longest).databaseName.hasSuffix("-7fffffffffffffff"))
    }

    @Test(arguments: [
        "", "1a", "a-b", "a b", "a.b", "\u{E9}", "..", String(repeating: "a", count: 64),
    ])
    func `a name that breaks the rule is refused`(name: String) {
        #expect(throws: Problem.self) { try TableName(name) }
    }

    @Test func `a position survives its token`() throws {
        let keys: [ODataValue] = [
            .null, .bool(true), .integer(.min), .double(0.1), .string("\u{E9}'\u{0}"),
            .instant(Instant(ticks: -5)), .array([]), .object([:]),
        ]
        let position = PagePosition(keys: keys, id: "x/y")
        #expect(PagePosition(token: position.token, keyCount: keys.count) == position)
        #expect(PagePosition(token: position.token, keyCount: 1) == nil)
    }
}
