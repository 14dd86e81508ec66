import SettlePrimitives
import Testing

@Suite struct `A byte buffer` {
    @Test(arguments: [0, 1, 64, 4096])
    func `holds what was appended, however its memory grew`(capacity: Int) {
        var buffer = ByteBuffer(capacity: capacity)
        var expected: [UInt8] = []
        for length in 0..<200 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            buffer.append(bytes.span)
            buffer.append(UInt8(length))
            expected += bytes + [UInt8(length)]
        }
        #expect(buffer.bytes == expected)
        #expect(buffer.count == expected.count)
        #expect(buffer.holds(expected.span) == true)
        expected.removeLast()
        #expect(buffer.holds(expected.span) == false)
    }

    @Test func `forgets what is cut off`() {
        var buffer = ByteBuffer()
        for byte in UInt8(1)...3 { buffer.append(byte) }
        buffer.cut(to: 1)
        buffer.append(9)
        #expect(buffer.bytes == [1, 9])
        buffer.cut(to: 0)
        #expect(buffer.bytes == [])
    }

    @Test func `writes numbers as rows do`() {
        for number in [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 40, .max] {
            var (buffer, row) = (ByteBuffer(), [UInt8]())
            buffer.append(variable: number)
            row.append(variable: UInt64(number))
            #expect(buffer.bytes == row)
        }
    }

    @Test func `gives its bytes away and begins anew`() {
        var buffer = ByteBuffer(capacity: 16)
        for byte in UInt8(1)...2 { buffer.append(byte) }
        #expect(buffer.take() == [1, 2])
        #expect(buffer.bytes == [])
        buffer.append(3)
        #expect(buffer.take() == [3])
    }

    @Test func `traps when more is cut off than there is`() async {
        await #expect(processExitsWith: .failure) {
            var buffer = ByteBuffer(capacity: 8)
            buffer.cut(to: 1)
        }
    }
}
