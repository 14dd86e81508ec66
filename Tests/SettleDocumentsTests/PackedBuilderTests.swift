import SettleDocuments
import TestSupport
import Testing

@Suite struct `A packed builder` {
    private func packed(_ value: JSONValue) throws -> [UInt8] { try PackedValue(value).bytes }

    @Test func `packs scalars as packed values are`() throws {
        var generator = TestSupport.SeededGenerator()
        var integers: [Int64] = [0, 1, 63, 64, 255, 256, -1, -256, -257, .min, .max]
        for shift in 0..<63 { integers += [1 << shift, 1 << shift - 1, -(1 << shift)] }
        var doubles = [0.0, -0.0, 1.5, -2.25, 1e300, .leastNonzeroMagnitude, .pi]
        for _ in 0..<2_000 {
            integers.append(Int64.random(in: .min ... .max, using: &generator))
            let double = Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
            if double.isFinite { doubles.append(double) }
        }
        var builder = PackedBuilder()
        for integer in integers {
            builder.reset()
            builder.append(integer)
            #expect(builder.bytes == (try packed(.integer(integer))), "\(integer)")
        }
        for double in doubles {
            builder.reset()
            try builder.append(double)
            #expect(builder.bytes == (try packed(.double(double))), "\(double), \(generator)")
        }
        for length in [0, 1, 63, 64, 255, 256, 65_535, 65_536] {
            let text = String(repeating: "é", count: length / 2) + (length % 2 == 1 ? "x" : "")
            builder.reset()
            try builder.append(text)
            #expect(builder.bytes == (try packed(.string(text))), "\(length)")
            builder.reset()
            let bytes = Array(text.utf8)
            try builder.append(utf8: bytes.span)
            #expect(builder.bytes == (try packed(.string(text))), "\(length)")
        }
        builder.reset()
        builder.appendNull()
        builder.append(true)
        builder.append(false)
        let wanted = try packed(.null) + packed(true) + packed(false)
        #expect(builder.bytes == wanted && builder.count == 3)
    }

    @Test func `packs arrays of any length, and arrays inside them`() throws {
        for count in [0, 1, 2, 126, 127, 128, 254, 255, 256, 40_000] {
            var builder = PackedBuilder(reservingCapacity: 16)
            let outer = builder.openArray()
            try builder.append(JSONValue.string("before"))
            let inner = builder.openArray()
            for number in 0..<count { builder.append(Int64(number % 60)) }
            try builder.closeArray(inner)
            try builder.append(["a": [1, .null]] as JSONValue)
            try builder.closeArray(outer)
            let elements = (0..<count).map { JSONValue.integer(Int64($0 % 60)) }
            let wanted = try packed(["before", .array(elements), ["a": [1, .null]]])
            #expect(builder.bytes == wanted, "\(count)")
        }
    }

    @Test func `copies packed values`() throws {
        var builder = PackedBuilder()
        let source = try packed(["a": "text"])
        let start = builder.openArray()
        builder.append(copying: source.span, in: 0..<source.count)
        builder.appendNull()
        try builder.closeArray(start)
        #expect(builder.bytes == (try packed([["a": "text"], .null])))
    }

    @Test func `refuses numbers that JSON cannot say, and keeps what it has`() throws {
        var builder = PackedBuilder()
        builder.append(true)
        for double in [Double.nan, .infinity, -.infinity] {
            #expect(throws: PackedError.self) { try builder.append(double) }
            #expect(throws: PackedError.self) { try builder.append([.double(double)] as JSONValue) }
        }
        #expect(builder.bytes == (try packed(true)))
    }

    @Test func `leaves paths to find what it packed`() throws {
        let value: JSONValue = ["a": ["b": ["c": 5], "longer than eight": 6], "d": 7]
        let bytes = try packed(value)
        for (path, wanted): ([String], JSONValue?) in [
            (["a", "b", "c"], 5), (["a", "longer than eight"], 6), (["d"], 7), (["e"], nil),
            (["d", "e"], nil), (["a", "b"], ["c": 5]), (["a", "longer than eighty"], nil),
        ] {
            let range = try PackedPath(path).range(in: bytes.span, 0..<bytes.count)
            let found = try range.map { try PackedValue(stored: Array(bytes[$0])).value() }
            #expect(found == wanted, "\(path)")
        }
    }
}

@Suite struct `Comparing printable ASCII` {
    @Test func `gives the order of the root collation`() throws {
        var generator = TestSupport.SeededGenerator()
        let collator = Collator(.unicode)
        let printable = (0x20...0x7E).map { UInt8($0) }
        for round in 0..<20_000 {
            func text() -> [UInt8] {
                // Few characters of both cases now and then, so that strings share much.
                let alphabet = round % 2 == 0 ? printable : Array("aAbB-".utf8)
                return (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? 0x20
                }
            }
            let (left, right) = (text(), text())
            let order = ASCIICollation.order(of: left.span, in: 0..<left.count, and: right.span)
            let keys = [left, right].map {
                collator.key(for: .string(String(decoding: $0, as: UTF8.self)))
            }
            let wanted =
                keys[0] == keys[1] ? 0 : keys[0].lexicographicallyPrecedes(keys[1]) ? -1 : 1
            guard order?.signum() == wanted else {
                Issue.record("\(generator): \(left) \(right) gives \(String(describing: order))")
                return
            }
        }
    }

    @Test func `is left to the collation for all other text`() {
        for (left, right) in [("é", "a"), ("a", "aé"), ("ab\u{1}", "a"), ("", "\t")] {
            let (left, right) = (Array(left.utf8), Array(right.utf8))
            #expect(
                ASCIICollation.order(of: left.span, in: 0..<left.count, and: right.span) == nil)
        }
    }
}
