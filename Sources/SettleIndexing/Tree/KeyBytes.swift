// Keys are compared and copied eight bytes at a time. The compiler makes one load of eight checked
// reads, so that this needs no unsafe code.

/// What is done with the bytes of keys.
enum KeyBytes {
    /// The eight bytes from that place on as one number, the first byte being the lowest.
    @inline(__always)
    static func word(_ bytes: Span<UInt8>, at index: Int) -> UInt64 {
        let rest = bytes.extracting(index..<bytes.count)
        precondition(rest.count >= 8, "A word has eight bytes.")
        let low =
            UInt32(rest[0]) | UInt32(rest[1]) << 8 | UInt32(rest[2]) << 16 | UInt32(rest[3]) << 24
        let high =
            UInt32(rest[4]) | UInt32(rest[5]) << 8 | UInt32(rest[6]) << 16 | UInt32(rest[7]) << 24
        return UInt64(low) | UInt64(high) << 32
    }

    /// How many bytes both begin with.
    @inline(__always)
    static func commonPrefix(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        let count = min(left.count, right.count)
        var index = 0
        while index &+ 8 <= count {
            let difference = word(left, at: index) ^ word(right, at: index)
            if difference != 0 { return index &+ difference.trailingZeroBitCount >> 3 }
            index &+= 8
        }
        while index < count, left[index] == right[index] { index &+= 1 }
        return index
    }

    /// Below, at, or above zero as the left bytes come before, equal, or come after the right ones.
    @inline(__always)
    static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        let shared = commonPrefix(left, right)
        if shared < left.count, shared < right.count {
            return Int(left[shared]) - Int(right[shared])
        }
        return left.count - right.count
    }

    /// Below, at, or above zero as the left bytes come before, equal, or come after the right ones.
    static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        compare(left.span, right.span)
    }

    /// Whether both are the same bytes.
    @inline(__always)
    static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        left.count == right.count && commonPrefix(left, right) == left.count
    }

    /// The first bytes, at most that many.
    static func prefix(_ bytes: [UInt8], _ countMax: Int) -> [UInt8] {
        bytes.count <= countMax ? bytes : Array(bytes[..<countMax])
    }

    /// Copies all of the bytes to that place, where there must be room.
    @inline(__always)
    static func copy(_ source: Span<UInt8>, to target: inout MutableSpan<UInt8>, at start: Int) {
        var offset = 0
        while offset &+ 8 <= source.count {
            copyWord(source, offset, to: &target, start &+ offset)
            offset &+= 8
        }
        while offset < source.count {
            target[start &+ offset] = source[offset]
            offset &+= 1
        }
    }

    /// Copies eight bytes; all are read before one is written, so that it is one load and one store.
    @inline(__always)
    private static func copyWord(
        _ source: Span<UInt8>, _ from: Int, to target: inout MutableSpan<UInt8>, _ index: Int
    ) {
        let rest = source.extracting(from..<source.count)
        precondition(rest.count >= 8, "A word has eight bytes.")
        precondition(
            index >= 0 && target.count >= 8 && index <= target.count &- 8,
            "A word has eight bytes.")
        let (byte0, byte1, byte2, byte3) = (rest[0], rest[1], rest[2], rest[3])
        let (byte4, byte5, byte6, byte7) = (rest[4], rest[5], rest[6], rest[7])
        target[index] = byte0
        target[index &+ 1] = byte1
        target[index &+ 2] = byte2
        target[index &+ 3] = byte3
        target[index &+ 4] = byte4
        target[index &+ 5] = byte5
        target[index &+ 6] = byte6
        target[index &+ 7] = byte7
    }

    /// Reads a number in groups of seven bits, least significant first, and moves past it.
    ///
    /// Nil when the bytes end too soon or the number is no length that memory could hold.
    @inline(__always)
    static func number(_ bytes: Span<UInt8>, at position: inout Int) -> Int? {
        guard position < bytes.count else { return nil }
        let first = bytes[position]
        if first < 0x80 {
            position &+= 1
            return Int(first)
        }
        return longNumber(bytes, at: &position)
    }

    private static func longNumber(_ bytes: Span<UInt8>, at position: inout Int) -> Int? {
        var number = 0
        var shift = 0
        // Seven groups are 49 bits: more than any count or length here can be.
        while shift < 49, position < bytes.count {
            let next = bytes[position]
            position += 1
            number |= Int(next & 0x7F) << shift
            if next < 0x80 { return number }
            shift += 7
        }
        return nil
    }
}
