import Foundation
import SettleDocuments
import Testing

@Suite struct PackedCodingTests {
    private struct Numbers: Codable, Equatable {
        var int = Int.min
        var int8 = Int8.min
        var int16 = Int16.max
        var int32 = Int32.min
        var int64 = Int64.max
        var uint = UInt(7)
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64(Int64.max)
        var float: Float = 0.1
        var double = 1e-300
        var whole = 3.0
    }

    private struct Inner: Codable, Equatable {
        var name: String
        var isOn: Bool?
        var none: Int?
    }

    private enum Shape: Codable, Equatable {
        case point
        case circle(radius: Double)
        case box(Int, Int)
    }

    private struct Outer: Codable, Equatable {
        var inner = Inner(name: "Žd", isOn: true, none: nil)
        var list = [Inner(name: "", isOn: nil, none: 4)]
        var names = ["a", "b\n", ""]
        var matrix = [[1, 2], [], [3]]
        var optionals: [Int?] = [1, nil, 3]
        var texts = ["k": "v"]
        var byNumber = [3: "three", -1: "minus one"]
        var byShape: [Double: Bool] = [1.5: true]
        var shapes: [Shape] = [.point, .circle(radius: 2.5), .box(1, 2)]
        var set: Set<String> = ["one"]
        var range = 1..<5
        var doubles = [1.0, 2.5]
        var tuple = Pair(left: 1, right: "r")
    }

    /// Encodes itself into an array of mixed elements.
    private struct Pair: Codable, Equatable {
        var left: Int
        var right: String

        init(left: Int, right: String) {
            self.left = left
            self.right = right
        }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            let count = container.count
            left = try container.decode(Int.self)
            right = try container.decode(String.self)
            var inner = try container.nestedUnkeyedContainer()
            let isNull = try inner.decodeNil()
            guard
                isNull, inner.isAtEnd, container.isAtEnd, container.currentIndex == 3, count == 3
            else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "A pair has three elements.")
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(left)
            try container.encode(right)
            var inner = container.nestedUnkeyedContainer()
            try inner.encodeNil()
        }
    }

    private class Animal: Codable {
        var legs = 4
    }

    private final class Dog: Animal {
        var name = "Rex"

        private enum CodingKeys: String, CodingKey { case name, again }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            let again = try container.superDecoder(forKey: .again)
            #expect(try Animal(from: again).legs == 4)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder(forKey: .again))
            try container.encode(name, forKey: .name)
            try super.encode(to: container.superEncoder())
        }
    }

    /// Encodes as JSONEncoder does, and decodes what JSONEncoder wrote and what it wrote itself.
    private func compare<Value: Codable & Equatable>(_ value: Value) throws {
        let theirs = try JSONText.packed(from: Array(JSONEncoder().encode(value)))
        let ours = try PackedValue(encoding: value)
        #expect(try ours.decode(Value.self) == value)
        #expect(try theirs.decode(Value.self) == value)
        let text = try JSONText.text(of: ours)
        #expect(try JSONDecoder().decode(Value.self, from: Data(text)) == value)
        #expect(try PackedValue.decode(Value.self, from: ours.bytes.span) == value)
    }

    @Test func `all that the standard library synthesizes is coded as JSONEncoder does`() throws {
        try compare(Numbers())
        try compare(Outer())
        try compare(["a": [Shape.point]])
        try compare([Int?.none, 4])
        try compare("text")
        try compare(5)
        try compare(2.5 as Float)
        try compare([String]())
        try compare(Int?.some(3))
        try compare(true)
        let ours = try PackedValue(encoding: Outer())
        let theirs = try JSONText.packed(from: Array(JSONEncoder().encode(Outer())))
        #expect(try ours.memberNames() == theirs.memberNames())
        for name in ["inner", "names", "shapes", "byNumber", "optionals", "tuple"] {
            #expect(try ours.member(name) == theirs.member(name), "\(name)")
        }
    }

    @Test func `superclasses have a place of their own`() throws {
        let packed = try PackedValue(encoding: Dog())
        #expect(
            try packed.value() == ["name": "Rex", "super": ["legs": 4], "again": ["legs": 4]])
        #expect(try packed.decode(Dog.self).name == "Rex")
        #expect(throws: DecodingError.self) {
            try PackedValue(["name": "x", "again": ["legs": 4]]).decode(Dog.self)
        }
    }

    @Test func `a Float is written as short as JSONEncoder writes it`() throws {
        #expect(try PackedValue(encoding: 0.1 as Float).value() == 0.1)
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let value = Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &generator))
            guard value.isFinite else { continue }
            let packed = try PackedValue(encoding: value)
            #expect(try packed.decode(Float.self) == value, "seed \(seed)")
        }
    }

    @Test func `numbers convert only when nothing is lost`() throws {
        #expect(try PackedValue(2.0).decode(Int.self) == 2)
        #expect(try PackedValue(7).decode(Double.self) == 7)
        #expect(try PackedValue(7).decode(Float.self) == 7)
        #expect(throws: DecodingError.self) { try PackedValue(256).decode(UInt8.self) }
        #expect(throws: DecodingError.self) { try PackedValue(-1).decode(UInt64.self) }
        #expect(throws: DecodingError.self) { try PackedValue(2.5).decode(Int.self) }
        #expect(throws: DecodingError.self) { try PackedValue(1e300).decode(Float.self) }
        #expect(throws: EncodingError.self) { try PackedValue(encoding: UInt64.max) }
        #expect(throws: EncodingError.self) { try PackedValue(encoding: [Double.nan]) }
        #expect(throws: EncodingError.self) { try PackedValue(encoding: [-Float.infinity]) }
    }

    @Test func `an error says where it is`() throws {
        let document = try PackedValue(["inner": ["name": 5], "list": [["name": "a"], .null]])
        struct Part: Decodable { var inner: Inner }
        struct List: Decodable { var list: [Inner] }
        struct Words: Decodable { var list: [String] }
        func failure(_ body: () throws -> Void) -> (kind: String, path: [String]) {
            do {
                try body()
                return ("none", [])
            } catch DecodingError.typeMismatch(_, let context) {
                return ("typeMismatch", context.codingPath.map(\.stringValue))
            } catch DecodingError.valueNotFound(_, let context) {
                return ("valueNotFound", context.codingPath.map(\.stringValue))
            } catch DecodingError.keyNotFound(let key, let context) {
                return (
                    "keyNotFound \(key.stringValue)", context.codingPath.map(\.stringValue)
                )
            } catch DecodingError.dataCorrupted(let context) {
                return ("dataCorrupted", context.codingPath.map(\.stringValue))
            } catch EncodingError.invalidValue(_, let context) {
                return ("invalidValue", context.codingPath.map(\.stringValue))
            } catch {
                return ("\(error)", [])
            }
        }
        #expect(
            failure { _ = try document.decode(Part.self) } == (
                "typeMismatch", ["inner", "name"]
            ))
        #expect(
            failure { _ = try document.decode(List.self) } == (
                "valueNotFound", ["list", "Index 1"]
            ))
        #expect(
            failure { _ = try document.decode(Words.self) } == (
                "typeMismatch", ["list", "Index 0"]
            ))
        #expect(failure { _ = try document.decode(Inner.self) } == ("keyNotFound name", []))
        #expect(
            failure { _ = try PackedValue(encoding: ["a": [1, Double.nan]]) } == (
                "invalidValue", ["a", "Index 1"]
            ))
        let damaged = PackedValue(stored: [0x89, 1, 7, 4, 0x6E, 0x61, 0x6D, 0x65, 1, 0xFF])
        #expect(failure { _ = try damaged.decode(Inner.self) } == ("dataCorrupted", ["name"]))
    }

    private final class Chain: Codable {
        var next: Chain?
        init(_ next: Chain?) { self.next = next }
    }

    @Test func `a chain deeper than the limit is refused both ways`() throws {
        var chain = Chain(nil)
        for _ in 0..<600 { chain = Chain(chain) }
        #expect(throws: EncodingError.self) { try PackedValue(encoding: chain) }
        var bytes: [UInt8] = [0x89, 0]
        for _ in 0..<600 {
            let area = 5 + bytes.count
            let head: [UInt8] =
                area <= 0xFF
                ? [0x89, 1, UInt8(area)]
                : [0x8A, 0, 1, UInt8(area >> 8), UInt8(area & 0xFF)]
            bytes = head + [4, 0x6E, 0x65, 0x78, 0x74] + bytes
        }
        #expect(throws: DecodingError.self) { try PackedValue(stored: bytes).decode(Chain.self) }
    }

    /// Dates as whole seconds, to see that the forms given from above are used.
    private struct Seconds: PackedCodingLeaves {
        func handles(_ type: any Any.Type) -> Bool { type == Date.self }

        func decode(_ type: any Decodable.Type, from json: JSONValue) -> (any Decodable)? {
            json.integerValue.map { Date(timeIntervalSince1970: Double($0)) }
        }

        func encode(_ value: any Encodable) -> JSONValue? {
            (value as? Date).map { .integer(Int64($0.timeIntervalSince1970)) }
        }
    }

    @Test func `types with a form of their own are asked for it`() throws {
        struct Event: Codable, Equatable {
            var at: Date
            var others: [Date]
            var end: Date?
        }
        let event = Event(
            at: Date(timeIntervalSince1970: 5), others: [Date(timeIntervalSince1970: 6)])
        let packed = try PackedValue(encoding: event, leaves: Seconds())
        #expect(try packed.value() == ["at": 5, "others": [6]])
        #expect(try packed.decode(Event.self, leaves: Seconds()) == event)
        let wrong = try PackedValue(["at": "x", "others": []])
        #expect(throws: DecodingError.self) { try wrong.decode(Event.self, leaves: Seconds()) }
        #expect(try PackedValue(encoding: event).decode(Event.self) == event)
    }

    @Test func `damaged bytes are decoded or refused`() throws {
        let sound = try PackedValue(encoding: Outer()).bytes
        for seed in 0..<1000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var bytes = sound
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                case 2: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &generator))
                default: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            let packed = PackedValue(stored: bytes)
            // What is decoded although it was changed must be whole enough to be coded again.
            guard let outer = try? packed.decode(Outer.self) else { continue }
            let again = try PackedValue(encoding: outer)
            #expect(try again.decode(Outer.self) == outer, "seed \(seed)")
        }
    }
}
