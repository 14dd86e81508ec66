import SettleDocuments
import Testing

@Suite(.serialized) struct `JSON text of an object with columns` {
    private static let names = ["", "@", "a", "aa", "b", "eight678", "eight6789", "z\u{E9}"]

    /// The subsets of the names, ascending by their bytes.
    private static let subsets: [[String]] = (0..<(1 << names.count)).map { bits in
        names.indices.filter { bits >> $0 & 1 == 1 }.map { names[$0] }
    }

    /// The text, and the text of the same members put together as values.
    private static func texts(
        _ members: [String: JSONValue], _ columns: [(name: String, value: JSONValue)],
        where isWritten: ((String) -> Bool)? = nil
    ) throws -> (written: String, expected: String) {
        var text = Array("before".utf8)
        try JSONText.text(
            of: try PackedValue(.object(members)), with: columns, to: &text, where: isWritten)
        var expected = isWritten.map { write in members.filter { write($0.key) } } ?? members
        for column in columns { expected[column.name] = column.value }
        return (
            String(decoding: text, as: UTF8.self),
            "before" + String(decoding: JSONText.text(of: .object(expected)), as: UTF8.self)
        )
    }

    @Test func `stands in the order of the names, a column in place of a member`() throws {
        for members in Self.subsets {
            let object = Dictionary(
                uniqueKeysWithValues: members.map { ($0, JSONValue.integer(1)) })
            for columns in Self.subsets where (members.count + columns.count) % 3 != 1 {
                let texts = try Self.texts(object, columns.map { ($0, .bool(true)) })
                guard texts.written == texts.expected else {
                    Issue.record("\(members) with \(columns): \(texts.written)")
                    return
                }
            }
        }
    }

    @Test func `leaves out the members that are not wanted, but no column`() throws {
        for members in Self.subsets {
            let object = Dictionary(uniqueKeysWithValues: members.map { ($0, JSONValue.null) })
            for wanted in Self.subsets where (members.count + wanted.count) % 3 != 1 {
                let texts = try Self.texts(object, [("aa", "x"), ("c", [])]) { wanted.contains($0) }
                guard texts.written == texts.expected else {
                    Issue.record("\(wanted) of \(members): \(texts.written)")
                    return
                }
            }
        }
    }

    @Test func `has any members and any values`() throws {
        for seed in UInt64(0)..<300 {
            var generator = SeededGenerator(seed: seed)
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                members[JSONValue.randomText(using: &generator)] = .random(
                    depth: 3, using: &generator)
            }
            let texts = try Self.texts(
                members,
                [("_x", .random(depth: 2, using: &generator)), ("id", "\u{0}\"\u{1F600}")])
            #expect(texts.written == texts.expected, "seed \(seed)")
        }
    }

    @Test func `is refused for what is no object and for damage`() throws {
        for value: JSONValue in [.null, 1, "a", [["a": 1]]] {
            let packed = try PackedValue(value)
            #expect(throws: PackedError.self) {
                var text: [UInt8] = []
                try JSONText.text(of: packed, with: [], to: &text)
            }
        }
        let whole = try PackedValue(["a": "bc", "d": [1, 2]]).bytes
        for count in 0..<whole.count {
            #expect(throws: PackedError.self, "\(count) bytes") {
                var text: [UInt8] = []
                try JSONText.text(
                    of: PackedValue(stored: Array(whole[..<count])), with: [("x", 1)], to: &text)
            }
        }
    }
}
