import Foundation
import SettleDocuments
import TestSupport
import Testing

@testable import Settle

@Suite struct `Untyped members` {
    private static func value(_ depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2: .integer(.random(in: -5...5, using: &random))
        case 3: .integer(Int64(bitPattern: random.next()))
        case 4: .double(.random(in: -1...1, using: &random))
        case 5:
            .string(
                ["", "a", "\u{E9}", "text with many letters"].randomElement(using: &random) ?? "")
        case 6: .string("2026-11-21T03:04:05Z")
        case 7, 8:
            .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth - 1, &random) })
        default: .object(members(depth - 1, &random))
        }
    }

    private static func members(
        _ depth: Int, _ random: inout SeededGenerator
    ) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for name in ["a", "b", "\u{E9}", "a name of some length"] where Bool.random(using: &random)
        {
            members[name] = value(depth, &random)
        }
        return members
    }

    /// The same by what `Any` prints, with types.
    private static func text(_ any: Any?) -> String {
        switch any {
        case nil: "nil"
        case let elements as [Any]: "[" + elements.map { text($0) }.joined(separator: ",") + "]"
        case let members as [String: Any]:
            "{"
                + members.sorted { $0.key < $1.key }.map { $0.key + ":" + text($0.value) }
                .joined(separator: ",") + "}"
        case let value?: "\(type(of: value)) \(value)"
        }
    }

    @Test func `of stored documents are those of the JSON values`() throws {
        var random = SeededGenerator()
        let seed = random.description
        for _ in 0..<500 {
            let members = Self.members(3, &random)
            var document = Document(id: "d", packed: try PackedValue(.object(members)))
            #expect(document["id"] as? String == "d")
            for name in ["a", "b", "\u{E9}", "a name of some length", "absent"] {
                let expected = members[name].map {
                    DynamicValue.any($0, dates: Document.dateFormatter)
                }
                #expect(Self.text(document[name]) == Self.text(expected), "\(seed)")
            }
            document["a"] = "set"
            document["b"] = nil
            #expect(document["a"] as? String == "set" && document["b"] == nil)
        }
    }

    // Damage can look like it, and must not end the process.
    @Test func `that are nested deeper than anything that is stored are not read`() throws {
        func nested(_ depth: Int) -> JSONValue {
            (0..<depth).reduce(.integer(1)) { value, _ in .array([value]) }
        }
        var limits = JSONLimits.default
        limits.depthMax = 1_000
        let deepest = Document(
            id: "d", packed: try PackedValue(.object(["a": nested(500)]), limits: limits))
        #expect(deepest["a"] != nil)
        let tooDeep = Document(
            id: "d", packed: try PackedValue(.object(["a": nested(600)]), limits: limits))
        #expect(tooDeep["a"] == nil)
    }

    @Test func `that were set are packed with the bytes of the others`() throws {
        var random = SeededGenerator()
        let seed = random.description
        for _ in 0..<300 {
            let members = Self.members(3, &random)
            var document = Document(id: "d", packed: try PackedValue(.object(members)))
            var expected = members
            for name in ["a", "e\u{301}", "new"] where Bool.random(using: &random) {
                let value = Bool.random(using: &random) ? Self.value(2, &random) : nil
                document[json: name] = value
                expected[name] = value
            }
            #expect(try document.packed() == PackedValue(.object(expected)), "\(seed)")
        }
    }
}
