// Strings are looked at and copied eight bytes at a time. The compiler makes one load of the eight
// checked reads below, so that this needs no unsafe code.

extension Span where Element == UInt8 {
    /// The eight bytes from that place on as one number, the first byte being the lowest.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        let rest = extracting(index..<count)
        precondition(rest.count >= 8, "A word has eight bytes.")
        let low =
            UInt32(rest[0]) | UInt32(rest[1]) << 8 | UInt32(rest[2]) << 16 | UInt32(rest[3]) << 24
        let high =
            UInt32(rest[4]) | UInt32(rest[5]) << 8 | UInt32(rest[6]) << 16 | UInt32(rest[7]) << 24
        return UInt64(low) | UInt64(high) << 32
    }

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

extension MutableSpan where Element == UInt8 {
    /// Copies eight bytes.
    ///
    /// All are read before one is written, so that it is one load and one store.
    @inline(__always)
    mutating func copyWord(_ source: Span<UInt8>, from start: Int, to index: Int) {
        let rest = source.extracting(start..<source.count)
        precondition(rest.count >= 8, "A word has eight bytes.")
        precondition(index >= 0 && count >= 8 && index <= count &- 8, "A word has eight bytes.")
        let (byte0, byte1, byte2, byte3) = (rest[0], rest[1], rest[2], rest[3])
        let (byte4, byte5, byte6, byte7) = (rest[4], rest[5], rest[6], rest[7])
        self[index] = byte0
        self[index &+ 1] = byte1
        self[index &+ 2] = byte2
        self[index &+ 3] = byte3
        self[index &+ 4] = byte4
        self[index &+ 5] = byte5
        self[index &+ 6] = byte6
        self[index &+ 7] = byte7
    }

    /// Copies a range of bytes to that place.
    ///
    /// It may also write over the seven bytes that follow, which the caller has yet to write.
    @inline(__always)
    mutating func copy(_ source: Span<UInt8>, from start: Int, _ length: Int, to index: Int) {
        var offset = 0
        if start &+ length <= source.count &- 8, index &+ length <= count &- 8 {
            while offset < length {
                copyWord(source, from: start &+ offset, to: index &+ offset)
                offset &+= 8
            }
        } else {
            while offset < length {
                self[index &+ offset] = source[start &+ offset]
                offset &+= 1
            }
        }
    }
}
