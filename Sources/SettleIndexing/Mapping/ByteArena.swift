/// Bytes laid one after another in one piece of memory, which grows and is used again.
///
/// Short strings are copied eight bytes at a time. The compiler makes one load or one store of the
/// eight checked accesses below, so that this needs no unsafe code.
struct ByteArena {
    /// The memory; what lies from `count` on means nothing.
    private(set) var storage: [UInt8] = []
    /// How many bytes have been laid down.
    private(set) var count = 0

    /// Forgets the bytes from that place on; the memory stays.
    mutating func shorten(to count: Int) {
        precondition(count <= self.count, "An arena can only be shortened.")
        self.count = count
    }

    /// Makes sure that so many more bytes have room.
    @inline(__always)
    mutating func reserve(_ additional: Int) {
        if storage.count &- count < additional { grow(additional) }
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        let needed = max(count + additional, 2 * storage.count, 256)
        storage.reserveCapacity(needed)
        storage.append(contentsOf: repeatElement(0, count: needed - storage.count))
    }

    /// Lays down one byte.
    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count &+= 1
    }

    /// Lays down a number in groups of seven bits, least significant group first.
    @inline(__always)
    mutating func append(variable number: Int) {
        var rest = UInt64(number)
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Lays down a copy of the bytes.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        let length = bytes.count
        reserve(length)
        let place = count
        count = place &+ length
        var target = storage.mutableSpan
        target.copy(bytes, to: place)
    }

    /// Gives the bytes away, without the memory beyond them, and begins anew.
    mutating func take() -> [UInt8] {
        storage.removeLast(storage.count - count)
        count = 0
        defer { storage = [] }
        return storage
    }
}

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

    /// How many bytes this and the other have in common at their start.
    @inline(__always)
    func sharedCount(with other: Span<UInt8>) -> Int {
        let limit = Swift.min(count, other.count)
        var index = 0
        while index &+ 8 <= limit {
            let difference = word(at: index) ^ other.word(at: index)
            if difference != 0 { return index &+ difference.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < limit, self[index] == other[index] { index &+= 1 }
        return index
    }

    /// Whether this has the same bytes as the other.
    @inline(__always)
    func isSame(as other: Span<UInt8>) -> Bool {
        count == other.count && sharedCount(with: other) == count
    }

    /// Whether this comes before the other, byte by byte; the shorter comes first.
    @inline(__always)
    func precedes(_ other: Span<UInt8>) -> Bool {
        let shared = sharedCount(with: other)
        guard shared < other.count else { return false }
        return shared == count || self[shared] < other[shared]
    }
}

extension MutableSpan where Element == UInt8 {
    /// Copies all of the source to that place.
    @inline(__always)
    mutating func copy(_ source: Span<UInt8>, to index: Int) {
        let length = source.count
        if length < 8 {
            var offset = 0
            while offset < length {
                self[index &+ offset] = source[offset]
                offset &+= 1
            }
            return
        }
        var offset = 0
        while offset &+ 8 < length {
            set(source.word(at: offset), at: index &+ offset)
            offset &+= 8
        }
        // The last eight bytes may overlap those before, which hold the same already.
        set(source.word(at: length &- 8), at: index &+ length &- 8)
    }

    /// Writes eight bytes, the lowest byte of the number first.
    @inline(__always)
    private mutating func set(_ word: UInt64, at index: Int) {
        precondition(index >= 0 && count >= 8 && index <= count &- 8, "A word has eight bytes.")
        self[index] = UInt8(truncatingIfNeeded: word)
        self[index &+ 1] = UInt8(truncatingIfNeeded: word >> 8)
        self[index &+ 2] = UInt8(truncatingIfNeeded: word >> 16)
        self[index &+ 3] = UInt8(truncatingIfNeeded: word >> 24)
        self[index &+ 4] = UInt8(truncatingIfNeeded: word >> 32)
        self[index &+ 5] = UInt8(truncatingIfNeeded: word >> 40)
        self[index &+ 6] = UInt8(truncatingIfNeeded: word >> 48)
        self[index &+ 7] = UInt8(truncatingIfNeeded: word >> 56)
    }
}
