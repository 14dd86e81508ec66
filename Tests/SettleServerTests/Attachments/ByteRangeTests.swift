import Testing

@testable import SettleServer

@Suite struct `Ranges of bytes` {
    @Test(
        arguments: [
            (nil, ByteRange.whole), ("bytes=0-3", .part(0..<4)), ("bytes=2-", .part(2..<10)),
            ("bytes=-3", .part(7..<10)), ("bytes=-30", .part(0..<10)), ("bytes=9-9", .part(9..<10)),
            ("bytes=9-99999999999999999999", .part(9..<10)), ("BYTES = 1-2 ", .part(1..<3)),
            ("bytes=10-", .unsatisfiable), ("bytes=10-12", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=3-2", .whole), ("bytes=0-1,3-4", .whole), ("bytes=", .whole),
            ("bytes=-", .whole),
            ("bytes=a-b", .whole), ("bytes=1-2-3", .whole), ("bytes=+1-2", .whole), ("", .whole),
            ("lines=0-1", .whole), ("0-1", .whole),
        ] as [(String?, ByteRange)])
    func `a header is read`(header: String?, range: ByteRange) {
        #expect(ByteRange(header, length: 10) == range)
    }

    @Test func `every range of a short content is what its numbers say`() {
        for length in 0..<5 {
            for first in 0..<6 {
                for last in first..<6 {
                    let bytes = (0..<length).filter { (first...last).contains($0) }
                    let expected: ByteRange =
                        length == 0
                        ? .whole
                        : bytes.isEmpty ? .unsatisfiable : .part(bytes[0]..<bytes[0] + bytes.count)
                    let found = ByteRange("bytes=\(first)-\(last)", length: length)
                    #expect(found == expected, "\(first)-\(last) of \(length)")
                }
            }
        }
    }
}
