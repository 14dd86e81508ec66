// Bytes are compared and copied eight at a time. The compiler makes one load of the eight checked
// reads below, and one store of the eight writes, so that this needs no unsafe code.

extension Span where Element == UInt8 {
    /// The eight bytes from that place on as one number, the first byte being the lowest.
    ///
    /// Traps when fewer follow.
    @inlinable @inline(__always)
    package func word(at index: Int) -> UInt64 {
        let rest = extracting(index..<count)
        precondition(rest.count >= 8, "A word has eight bytes.")
        let low =
            UInt32(rest[0]) | UInt32(rest[1]) << 8 | UInt32(rest[2]) << 16 | UInt32(rest[3]) << 24
        let high =
            UInt32(rest[4]) | UInt32(rest[5]) << 8 | UInt32(rest[6]) << 16 | UInt32(rest[7]) << 24
        return UInt64(low) | UInt64(high) << 32
    }

    /// How many bytes this and the other have in common at their start.
    @inlinable @inline(__always)
    package func sharedCount(with other: Span<UInt8>) -> Int {
        let limit = Swift.min(count, other.count)
        var index = 0
        while index &+ 8 <= limit {
            let difference = word(at: index) ^ other.word(at: index)
            if difference != 0 { return index &+ difference.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < limit, self[index] == other[index] { index &+= 1 }
        return index
    }

    /// Whether this has the same bytes as the other.
    @inlinable @inline(__always)
    package func isSame(as other: Span<UInt8>) -> Bool {
        count == other.count && sharedCount(with: other) == count
    }

    /// Whether this comes before the other, byte by byte; of two that begin alike, the shorter does.
    @inlinable @inline(__always)
    package func precedes(_ other: Span<UInt8>) -> Bool {
        let shared = sharedCount(with: other)
        guard shared < other.count else { return false }
        return shared == count || self[shared] < other[shared]
    }
}

extension MutableSpan where Element == UInt8 {
    /// Copies eight bytes.
    ///
    /// All are read before one is written, so that it is one load and one store. Traps where either side
    /// has fewer.
    @inlinable @inline(__always)
    package mutating func copyWord(_ source: Span<UInt8>, from start: Int, to index: Int) {
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

    /// Copies all of the source to that place, and writes over nothing else.
    ///
    /// Traps when there is no room.
    @inlinable @inline(__always)
    package mutating func copy(_ source: Span<UInt8>, to index: Int) {
        let length = source.count
        var offset = 0
        if length < 8 {
            while offset < length {
                self[index &+ offset] = source[offset]
                offset &+= 1
            }
            return
        }
        while offset &+ 8 < length {
            copyWord(source, from: offset, to: index &+ offset)
            offset &+= 8
        }
        // The last eight bytes may overlap those before, which hold the same already.
        copyWord(source, from: length &- 8, to: index &+ length &- 8)
    }

    /// Copies a range of bytes to that place.
    ///
    /// It may also write over the seven bytes that follow, which the caller has yet to write. Traps when
    /// there is no room.
    @inlinable @inline(__always)
    package mutating func copy(
        _ source: Span<UInt8>, from start: Int, _ length: Int, to index: Int
    ) {
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
