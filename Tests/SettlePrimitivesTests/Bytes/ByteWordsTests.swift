import SettlePrimitives
import Testing

@Suite struct `Bytes, eight at a time` {
    /// Bytes in which long stretches are equal.
    private static let samples: [[UInt8]] = (0..<26).flatMap { length in
        let zeros = [UInt8](repeating: 0, count: length)
        return [zeros]
            + (0..<length).flatMap { place in
                [UInt8(1), 0x7F, 0x80, 0xFF].map { byte in
                    var bytes = zeros
                    bytes[place] = byte
                    return bytes
                }
            }
    }

    @Test func `compare as they do one by one`() {
        for left in Self.samples {
            for right in [Self.samples[0], left] + Self.samples.suffix(300) {
                let shared = zip(left, right).prefix { $0 == $1 }.count
                #expect(left.span.sharedCount(with: right.span) == shared)
                #expect(left.span.isSame(as: right.span) == (left == right))
                let isFirst = left.lexicographicallyPrecedes(right)
                #expect(left.span.precedes(right.span) == isFirst)
                #expect((KeyBytes.compare(left, right) < 0) == isFirst)
                #expect((KeyBytes.compare(left, right) == 0) == (left == right))
            }
        }
    }

    @Test func `are a number whose lowest byte is the first`() {
        let bytes: [UInt8] = [9, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        #expect(bytes.span.word(at: 1) == 0x0807_0605_0403_0201)
        #expect(bytes.span.word(at: 2) == 0x0908_0706_0504_0302)
    }

    @Test func `are copied to their place and to no other`() {
        for length in 0...40 {
            let source = (0..<length).map { UInt8($0 + 1) }
            for start in 0...9 {
                var target = [UInt8](repeating: 0xEE, count: start + length + 3)
                var span = target.mutableSpan
                span.copy(source.span, to: start)
                let before = [UInt8](repeating: 0xEE, count: start)
                #expect(target == before + source + [0xEE, 0xEE, 0xEE])
            }
        }
    }

    @Test func `are copied by a range, over at most seven that follow`() {
        let source = (0..<48).map { UInt8($0) }
        for length in 0...32 {
            for start in 0...(48 - length) {
                for room in [0, 1, 7, 8, 20] {
                    var target = [UInt8](repeating: 0xEE, count: 2 + length + room)
                    var span = target.mutableSpan
                    span.copy(source.span, from: start, length, to: 2)
                    #expect(target[..<2] == [0xEE, 0xEE])
                    #expect(target[2..<2 + length] == source[start..<start + length])
                    #expect(target.dropFirst(2 + length + 7).allSatisfy { $0 == 0xEE })
                }
            }
        }
    }

    @Test func `are cut to a prefix`() {
        #expect(KeyBytes.prefix([1, 2, 3], 2) == [1, 2])
        #expect(KeyBytes.prefix([1, 2], 2) == [1, 2])
        #expect(KeyBytes.prefix([], 2) == [])
    }

    @Test func `are copied out of a span`() {
        let bytes: [UInt8] = [0x61, 0x62, 0x63]
        #expect([UInt8](copying: bytes.span) == bytes)
        let none: [UInt8] = []
        #expect([UInt8](copying: none.span) == none)
        var target: [UInt8] = [1]
        target.append(bytes.span, in: 1..<3)
        #expect(target == [1, 0x62, 0x63])
        #expect(String(decoding: bytes.span, in: 0..<2) == "ab")
        let filled = [UInt8](capacity: 12) { output in
            output.append(copying: bytes.span)
            output.append(fixed64: 0x0102_0304_0506_0708)
        }
        #expect(filled == bytes + [1, 2, 3, 4, 5, 6, 7, 8])
    }
}
