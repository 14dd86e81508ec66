import SettleDocuments
import TestSupport
import Testing

/// Packed objects that are parted, and values in either form.
@Suite struct `Parted objects` {
    private static func packed(_ text: String) throws -> PackedValue {
        try JSONText.packed(from: Array(text.utf8))
    }

    private static func name(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }

    @Test func `have all members but those that are taken, which come under their numbers`() throws
    {
        let object = try Self.packed(#"{"id":"a","n":1,"é":[true,null],"z":{"id":2},"":0}"#)
        let parts = try #require(
            try object.parting(into: 3) { bytes, name in
                switch Self.name(bytes, name) {
                case "id": .taken(0)
                case "z": .taken(2)
                default: .kept
                }
            })
        #expect(parts.rest == (try Self.packed(#"{"n":1,"é":[true,null],"":0}"#)))
        #expect(parts.taken == ["a", nil, ["id": 2]])
        let none = try object.parting(into: 0) { _, _ in .kept }
        #expect(none?.rest == object && none?.taken.isEmpty == true)
    }

    @Test func `are none when a member is odd, and neither are other values`() throws {
        let object = try Self.packed(#"{"a":1,"b":2}"#)
        let isParted = try object.parting(into: 0) { bytes, name in
            Self.name(bytes, name) == "b" ? .odd : .kept
        }
        #expect(isParted == nil)
        for text in ["[]", "1", "null", "\"a\""] {
            #expect(try Self.packed(text).parting(into: 0) { _, _ in .kept } == nil)
        }
    }

    @Test func `are those of the trees, whatever is taken`() throws {
        var random = TestSupport.SeededGenerator()
        for _ in 0..<300 {
            var tree: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...9, using: &random) {
                let name = String(repeating: "n", count: Int.random(in: 0...40, using: &random))
                tree[name + "\(Int.random(in: 0...20, using: &random))"] = .string(
                    String(repeating: "v", count: Int.random(in: 0...300, using: &random)))
            }
            let names = Set(tree.keys.filter { _ in Bool.random(using: &random) })
            let order = names.sorted()
            let whole = try PackedValue(.object(tree))
            let found = try whole.parting(into: order.count) { bytes, name in
                let number = order.firstIndex(of: Self.name(bytes, name))
                return number.map { PackedValue.Part.taken($0) } ?? .kept
            }
            let parts = try #require(found)
            let rest = tree.filter { !names.contains($0.key) }
            #expect(parts.rest == (try PackedValue(.object(rest))), "\(random)")
            #expect(parts.taken == order.map { tree[$0] }, "\(random)")
        }
    }

    @Test func `have members under new names at the places of those`() throws {
        var random = TestSupport.SeededGenerator()
        for _ in 0..<500 {
            var (tree, expected): ([String: JSONValue], [String: JSONValue]) = ([:], [:])
            var isClear = true
            for number in 0..<Int.random(in: 0...9, using: &random) {
                let name =
                    String(repeating: "_", count: Int.random(in: 0...2, using: &random))
                    + ["a", "b", "n\(number)"].randomElement(using: &random)!
                let value = JSONValue.string(
                    String(repeating: "v", count: Int.random(in: 0...300, using: &random)))
                tree[name] = value
            }
            for (name, value) in tree {
                let new = name.hasPrefix("_") ? String(name.dropFirst()) : name
                if expected.updateValue(value, forKey: new) != nil { isClear = false }
            }
            let parts = try PackedValue(.object(tree)).parting(into: 0) { bytes, name in
                let text = Self.name(bytes, name)
                return text.hasPrefix("_") ? .renamed(Array(text.utf8.dropFirst())) : .kept
            }
            #expect(
                parts?.rest == (isClear ? try PackedValue(.object(expected)) : nil), "\(random)")
        }
    }

    @Test func `are none when a new name may be another member's, or too many have one`() throws {
        let object = try Self.packed(#"{"a":1,"b":2}"#)
        for name in ["b", "k;", "K", "é"] {
            let parts = try object.parting(into: 0) { bytes, range in
                Self.name(bytes, range) == "a" ? .renamed(Array(name.utf8)) : .kept
            }
            #expect(parts == nil)
        }
        for count in [PackedValue.renamedMax, PackedValue.renamedMax + 1] {
            let members = (0..<count).map { ("n\($0)", JSONValue.integer(Int64($0))) }
            let many = try PackedValue(.object(Dictionary(uniqueKeysWithValues: members)))
            let parts = try many.parting(into: 0) { bytes, range in
                .renamed(Array(("x" + Self.name(bytes, range)).utf8))
            }
            #expect((parts != nil) == (count == PackedValue.renamedMax))
        }
    }

    @Test func `that are damaged are an error and no trap`() throws {
        let whole = try Self.packed(#"{"id":"abc","n":[1,2,{"x":null}],"text":"some text"}"#).bytes
        for place in whole.indices {
            for value in [UInt8](0...255) where value != whole[place] {
                var bytes = whole
                bytes[place] = value
                let damaged = PackedValue(stored: bytes)
                _ = try? damaged.parting(into: 1) { _, name in name.count == 2 ? .taken(0) : .kept }
                _ = try? damaged.parting(into: 1) { _, name in
                    name.count == 2 ? .renamed([UInt8(ascii: "m")]) : .kept
                }
                _ = try? damaged.elements()
                _ = try? damaged.hasNull()
            }
            let cut = PackedValue(stored: Array(whole[..<place]))
            _ = try? cut.parting(into: 1) { _, _ in .taken(0) }
            _ = try? cut.elements()
            _ = try? cut.hasNull()
        }
    }

    @Test func `tell whether a member is null`() throws {
        #expect(try Self.packed(#"{"a":null}"#).hasNull())
        #expect(try Self.packed(#"{"a":1,"b":[null],"c":{"d":null}}"#).hasNull() == false)
        #expect(try Self.packed("{}").hasNull() == false)
        #expect(try Self.packed("[null]").hasNull() == false)
    }

    @Test(arguments: ["{}", #"{"a":{"b":[1,2.5,"x"]},"c":null}"#, "[[],{},1]", "null", "7"])
    func `are equal in either form`(text: String) throws {
        let packed = JSONForm.packed(try Self.packed(text))
        let tree = JSONForm.value(try JSONValue(jsonText: text))
        #expect(packed == tree && tree == packed && packed == packed)
        #expect(packed.hashValue == tree.hashValue && packed.value == tree.value)
        #expect(packed["a"] == tree["a"] && packed["c"] == tree["c"] && packed["x"] == nil)
        #expect(packed.member("a") == tree.member("a"))
        #expect(packed.elements == tree.elements)
        #expect(packed != .value("other"))
    }
}
