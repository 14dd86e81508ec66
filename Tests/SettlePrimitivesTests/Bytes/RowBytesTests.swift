import SettlePrimitives
import Testing

@Suite struct `Fields of rows` {
    private static let numbers: [UInt64] = (0..<64).reduce(into: [.max]) { numbers, shift in
        let power = UInt64(1) << UInt64(shift)
        numbers += [power - 1, power, power + 1]
    }

    @Test func `have numbers that are read as they were written`() {
        for number in Self.numbers {
            var row: [UInt8] = [7]
            row.append(variable: number)
            #expect(row.count == 1 + RowBytes.length(variable: number))
            row.append(fixed64: number)
            let filled = [UInt8](capacity: 10) { $0.append(variable: number) }
            #expect(Array(row[1..<row.count - 8]) == filled)
            var position = 1
            #expect(row.span.variable(at: &position) == number)
            #expect(row.span.fixed64(at: &position) == number)
            #expect(position == row.count)
            position = 1
            let isSkipped = row.span.skipVariable(at: &position)
            #expect(isSkipped)
            #expect(position == row.count - 8)
            position = 1
            let length = number < 1 << 49 ? Int(number) : nil
            #expect(row.span.length(at: &position) == length)
        }
    }

    @Test func `order as numbers where they have eight bytes`() {
        let sorted = Self.numbers.sorted()
        for (lower, upper) in zip(sorted, sorted.dropFirst()) where lower < upper {
            #expect(
                RowBytes.fixed64(lower).lexicographicallyPrecedes(RowBytes.fixed64(upper)))
        }
    }

    @Test func `are refused where they end too soon or are too large`() {
        for number in Self.numbers {
            var row: [UInt8] = []
            row.append(variable: number)
            for length in 0..<row.count {
                let cut = Array(row[..<length])
                var position = 0
                #expect(cut.span.variable(at: &position) == nil)
                position = 0
                #expect(cut.span.length(at: &position) == nil)
                position = 0
                let isSkipped = cut.span.skipVariable(at: &position)
                #expect(!isSkipped)
            }
        }
        var position = 0
        let tooLarge = [UInt8](repeating: 0xFF, count: 9) + [0x02]
        #expect(tooLarge.span.variable(at: &position) == nil)
        let eight: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        for place in [1, -1] {
            position = place
            #expect(eight.span.fixed64(at: &position) == nil)
        }
    }

    @Test func `have a length in front of bytes`() {
        var row: [UInt8] = []
        row.append(counted: [1, 2, 3])
        row.append(counted: "ab".utf8)
        row.append(9)
        var position = 0
        #expect(row.span.counted(at: &position) == [1, 2, 3])
        #expect(row.span.counted(at: &position) == [0x61, 0x62])
        #expect(row.span.rest(from: position) == [9])
        #expect(row.span.copy(1, at: &position) == [9])
        #expect(row.span.copy(1, at: &position) == nil)
        #expect(row.span.byte(at: &position) == nil)
        let tooShort: [UInt8] = [4, 1, 2, 3]
        position = 0
        #expect(tooShort.span.counted(at: &position) == nil)
    }

    @Test func `have hashes that are the same in every run`() {
        // The vectors of the algorithm's authors.
        #expect(StableHash.of("".utf8) == 0xCBF2_9CE4_8422_2325)
        #expect(StableHash.of("a".utf8) == 0xAF63_DC4C_8601_EC8C)
        #expect(StableHash.of("foobar".utf8) == 0x8594_4171_F739_67E8)
    }
}
