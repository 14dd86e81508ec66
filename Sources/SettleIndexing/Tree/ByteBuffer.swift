/// Bytes that are written one after the other, in memory that is used again and again.
///
/// The bytes are the first ``count`` of ``storage``.
struct ByteBuffer {
    /// What holds the bytes; those from ``count`` on mean nothing.
    private(set) var storage: [UInt8]
    /// How many bytes there are.
    private(set) var count = 0

    init(capacity: Int) {
        storage = [UInt8](repeating: 0, count: max(capacity, 16))
    }

    /// A copy of the bytes.
    var bytes: [UInt8] { Array(storage[..<count]) }

    /// Whether these are the bytes.
    func holds(_ bytes: Span<UInt8>) -> Bool {
        KeyBytes.equal(storage.span.extracting(0..<count), bytes)
    }

    /// Forgets all bytes from that one on; there must be as many.
    @inline(__always)
    mutating func cut(to length: Int) {
        precondition(length >= 0 && length <= count, "Only what is there can be cut off.")
        count = length
    }

    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        reserve(bytes.count)
        let start = count
        count &+= bytes.count
        var target = storage.mutableSpan
        KeyBytes.copy(bytes, to: &target, at: start)
    }

    @inline(__always)
    mutating func append(byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count &+= 1
    }

    /// Appends a number in groups of seven bits, least significant first.
    @inline(__always)
    mutating func append(number: Int) {
        if number >= 0, number < 0x80 {
            append(byte: UInt8(truncatingIfNeeded: number))
        } else {
            append(long: UInt64(number))
        }
    }

    private mutating func append(long number: UInt64) {
        var rest = number
        while rest > 0x7F {
            append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(byte: UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if storage.count &- count < more { grow(more) }
    }

    private mutating func grow(_ more: Int) {
        let missing = max(storage.count, more)
        storage.append(contentsOf: repeatElement(0, count: missing))
    }
}
