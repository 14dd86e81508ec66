import SettleDocuments
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `Exact numbers` {
    private let edges: [Int64] = [
        0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 1 << 53,
        1 << 53 + 1, .max, .max - 1, .min, .min + 1,
    ]

    @Test func `wide integers add as integers of 128 bits do`() throws {
        var generator = SeededGenerator(seed: 0x61)
        for round in 0..<300 {
            var sum = WideInteger()
            var expected = Int128(0)
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let edge = edges.randomElement(using: &generator) ?? 0
                let value =
                    Bool.random(using: &generator)
                    ? edge : Int64.random(in: .min ... .max, using: &generator)
                sum.add(value)
                expected += Int128(value)
            }
            #expect(sum.integer == Int64(exactly: expected), "\(generator), round \(round)")
            #expect(sum.doubles.high == Double(expected), "\(generator), round \(round)")
            let rest = expected - Int128(Double(expected))
            #expect(sum.doubles.low == Double(rest), "\(generator), round \(round)")
        }
    }

    @Test func `wide integers come back from the fewest bytes that hold them`() throws {
        var numbers: [(WideInteger, Int)] = []
        for edge in edges {
            var number = WideInteger()
            number.add(edge)
            let count = (65 - max(edge, ~edge).leadingZeroBitCount + 7) / 8
            numbers.append((number, edge == 0 ? 0 : count))
        }
        var square = WideInteger()
        square.add(squareOf: .min)
        numbers.append((square, 16))
        square.add(squareOf: .min)
        numbers.append((square, 17))
        for (number, count) in numbers {
            var bytes: [UInt8] = []
            number.append(to: &bytes)
            #expect(bytes.count == count)
            var position = 0
            let read = WideInteger(bytes.span, at: &position, count: bytes.count)
            #expect(read == number)
            #expect(position == bytes.count)
            // The same number in more bytes is refused.
            let fill: UInt8 = (bytes.first ?? 0) >= 0x80 ? 0xFF : 0
            position = 0
            let longer = [fill] + bytes
            #expect(WideInteger(longer.span, at: &position, count: longer.count) == nil)
        }
    }

    @Test func `packed numbers are read as the packed form says`() throws {
        let doubles: [Double] = [0, -0.0, 0.5, 1, 63, 64, 1e300, .leastNonzeroMagnitude]
        let small = (-300...300).map { Int64($0) }
        var values = (edges + small).map(JSONValue.integer) + doubles.map(JSONValue.double)
        for shift in 0..<63 { values += [.integer(1 << shift - 1), .integer(-(1 << shift))] }
        for value in values {
            let packed = try PackedValue(value).bytes
            #expect(try NumberValue(packed: packed.span)?.json == value)
            // Whatever a byte of it becomes, both ways of reading agree.
            for index in packed.indices {
                for byte: UInt8 in [0, 0x3F, 0x40, 0x7F, 0x80, 0x90, 0x97, 0x98, 0x9F, 0xFF] {
                    var changed = packed
                    changed[index] = byte
                    let plain = try? PackedForm.whole(of: changed.span, in: 0..<changed.count)
                    let number = try? NumberValue(packed: changed.span)
                    #expect(number == plain.flatMap { NumberValue($0) }, "\(changed)")
                }
            }
        }
        for value in [JSONValue.null, .bool(true), "a", .array([]), .object([:])] {
            let packed = try PackedValue(value).bytes
            #expect(try NumberValue(packed: packed.span) == nil)
        }
    }

    @Test func `numbers compare exactly, integers against doubles too`() {
        let doubles: [Double] = [
            0, -0.0, 0.5, -0.5, 1, -1, 127.5, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, -0x1p64, 1e300,
            -1e300, 0x1p63.nextDown, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        ]
        let numbers = edges.map(NumberValue.integer) + doubles.map(NumberValue.double)
        let collator = Collator(.raw)
        for left in numbers {
            for right in numbers {
                let precedes = collator.key(for: left.json)
                    .lexicographicallyPrecedes(collator.key(for: right.json))
                #expect(left.isLess(than: right) == precedes, "\(left), \(right)")
            }
        }
    }

    @Test func `sums are stored with all their digits`() throws {
        var generator = SeededGenerator(seed: 0x62)
        for round in 0..<300 {
            var total = NumberTotal()
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                if Bool.random(using: &generator) {
                    total.add(Int64.random(in: .min ... .max, using: &generator))
                } else {
                    total.add(Double.random(in: -1e30...1e30, using: &generator))
                }
            }
            var bytes: [UInt8] = []
            total.append(to: &bytes)
            var position = 0
            #expect(try NumberTotal(bytes.span, at: &position) == total, "\(generator), \(round)")
            #expect(position == bytes.count)
        }
    }
}
