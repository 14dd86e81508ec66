import Testing

@testable import SettleDocuments

@Suite struct `Members that are expected where the object before had them` {
    private struct Four: Decodable, Equatable {
        var d: Int?
        var a: Int?
        var c: Int?
        var b: Int?
    }

    /// The object with the members whose bits are set, each with a value of its own.
    private static func object(_ bits: Int, _ names: [String]) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for (place, name) in names.enumerated() where bits & 1 << place != 0 {
            members[name] = .integer(Int64(100 * bits + place))
        }
        return .object(members)
    }

    @Test func `are found after any other object`() throws {
        let names = ["a", "b", "c", "d"]
        let packed = try (0..<16).map { try PackedValue(Self.object($0, names)) }
        for before in 0..<16 {
            for bits in 0..<16 {
                _ = try packed[before].decode(Four.self)
                let found = try packed[bits].decode(Four.self)
                let expected = (0..<4).map { bits & 1 << $0 != 0 ? 100 * bits + $0 : nil }
                #expect([found.a, found.b, found.c, found.d] == expected, "\(before), \(bits)")
            }
        }
    }

    /// Asks for the members of that many names, again and again, in an order of its own.
    private struct Wide: Decodable {
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        static let order = CodingUserInfoKey(rawValue: "order")
        var values: [String: Int?] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Name.self)
            let order = Self.order.flatMap { decoder.userInfo[$0] } as? [String]
            for name in order ?? [] {
                values[name] = try container.decodeIfPresent(
                    Int.self, forKey: Name(stringValue: name))
            }
        }
    }

    @Test func `are found in wide objects, asked for in any order`() throws {
        let key = try #require(Wide.order)
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let names = (0..<Int.random(in: 1...40, using: &generator)).map { "name\($0)" }
            var members: [String: JSONValue] = [:]
            for (place, name) in names.enumerated() where Bool.random(using: &generator) {
                members[name] = .integer(Int64(place))
            }
            let order = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                names.randomElement(using: &generator) ?? ""
            }
            let found = try PackedValue(.object(members)).decode(
                Wide.self, userInfo: [key: order]
            ).values
            for name in order {
                #expect(
                    found[name] == .some(members[name]?.integerValue.map { Int($0) }),
                    "seed \(seed)")
            }
        }
    }

    @Test func `are found by threads that decode different objects at once`() async throws {
        let names = ["a", "b", "c", "d"]
        let packed = try (0..<16).map { try PackedValue(Self.object($0, names)) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    try (0..<2_000).allSatisfy { round in
                        let bits = (task &* 7 &+ round) & 15
                        let found = try packed[bits].decode(Four.self)
                        return found.d == (bits & 8 != 0 ? 100 * bits + 3 : nil)
                            && found.a == (bits & 1 != 0 ? 100 * bits : nil)
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    private struct Optionals: Decodable, Equatable {
        var bool: Bool?
        var string: String?
        var double: Double?
        var float: Float?
        var int: Int?
        var int8: Int8?
        var int16: Int16?
        var int32: Int32?
        var int64: Int64?
        var uint: UInt?
        var uint8: UInt8?
        var uint16: UInt16?
        var uint32: UInt32?
        var uint64: UInt64?
        var strings: [String]?
        var inner: Four?
    }

    private static let names = [
        "bool", "string", "double", "float", "int", "int8", "int16", "int32", "int64", "uint",
        "uint8",
        "uint16", "uint32", "uint64", "strings", "inner",
    ]

    @Test func `are nil when they are absent or null`() throws {
        let nulls = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, JSONValue.null) })
        #expect(try PackedValue(.object(nulls)).decode(Optionals.self) == Optionals())
        #expect(try PackedValue([:]).decode(Optionals.self) == Optionals())
    }

    @Test func `have their values, or errors, when they may be absent`() throws {
        let value = try PackedValue([
            "bool": true, "string": "s", "double": 1.5, "float": 2.5, "int": -1, "int8": -8,
            "int16": -16, "int32": -32, "int64": -64, "uint": 1, "uint8": 8, "uint16": 16,
            "uint32": 32, "uint64": 64, "strings": ["a"], "inner": ["b": 7],
        ])
        #expect(
            try value.decode(Optionals.self)
                == Optionals(
                    bool: true, string: "s", double: 1.5, float: 2.5, int: -1, int8: -8, int16: -16,
                    int32: -32, int64: -64, uint: 1, uint8: 8, uint16: 16, uint32: 32, uint64: 64,
                    strings: ["a"], inner: Four(b: 7)))
        for name in Self.names {
            let wrong: JSONValue = name == "string" ? 1 : "text"
            let packed = try PackedValue(.object([name: wrong]))
            #expect {
                try packed.decode(Optionals.self)
            } throws: { error in
                guard case DecodingError.typeMismatch(_, let context)? = error as? DecodingError
                else { return false }
                return context.codingPath.map(\.stringValue) == [name]
            }
        }
    }

    @Test func `are damaged when something follows a null`() {
        // {"int": null} with a second byte behind the null.
        let packed = PackedValue(stored: [0x89, 1, 6, 3, 0x69, 0x6E, 0x74, 0x80, 0x80])
        #expect(throws: DecodingError.self) { try packed.decode(Optionals.self) }
    }

    private struct Identified: Decodable, Equatable {
        var id: String?
        var inner: Inner?
        var a: Int

        struct Inner: Decodable, Equatable { var id: String? }
    }

    @Test func `leave room for a member beside those of the outermost object`() throws {
        let packed = try PackedValue(["a": 1, "id": "hidden", "inner": ["id": "own"]])
        let found = try packed.decode(Identified.self, adding: ("id", "added"))
        #expect(found == Identified(id: "added", inner: .init(id: "own"), a: 1))
        let plain = try PackedValue(["a": 2, "inner": [:]])
        #expect(
            try plain.decode(Identified.self, adding: ("id", "x"))
                == Identified(id: "x", inner: .init(id: nil), a: 2))
    }
}
