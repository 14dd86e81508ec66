import SettlePrimitives

/// What can be said about eight bytes at once.
enum ByteWord {
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Marks the bytes that do not simply stand for themselves in a JSON string.
    ///
    /// Those are quotes, backslashes, control characters, and all that is not ASCII. The lowest set
    /// bit lies in the first such byte; bits above it mean nothing.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = (word ^ (ones &* 0x22)) &- ones
        let backslash = (word ^ (ones &* 0x5C)) &- ones
        let control = word &- (ones &* 0x20)
        return (quote | backslash | control | word) & highBits
    }
}

extension Span where Element == UInt8 {
    /// The first bytes of the range, at most eight, as a number that compares as they do.
    ///
    /// What a range of less than eight bytes lacks is zero.
    @inline(__always)
    func prefix(in range: Range<Int>) -> UInt64 {
        let length = range.count
        if range.lowerBound + 8 <= count {
            let word = word(at: range.lowerBound).byteSwapped
            return length >= 8 ? word : word & ~(UInt64.max >> UInt64(8 * length))
        }
        var prefix: UInt64 = 0
        let taken = Swift.min(8, length)
        for offset in 0..<taken { prefix = prefix << 8 | UInt64(self[range.lowerBound + offset]) }
        return taken == 0 ? 0 : prefix << UInt64(8 * (8 - taken))
    }
}
