/// Bytes that are written one after the other, in memory that grows and is used again.
///
/// The bytes are the first ``count`` of ``storage``. Appending costs a copy of what is appended, and now and then
/// one of all that is there.
@usableFromInline package struct ByteBuffer {
    /// The memory; what lies in it from ``count`` on means nothing.
    @usableFromInline package internal(set) var storage: [UInt8]
    /// How many bytes have been written.
    @usableFromInline package internal(set) var count = 0

    /// Begins without bytes.
    ///
    /// - Parameter capacity: How many bytes the memory has from the start.
    @inlinable
    package init(capacity: Int = 0) {
        storage = [UInt8](repeating: 0, count: capacity)
    }

    /// A copy of the bytes.
    @inlinable package var bytes: [UInt8] { Array(storage[..<count]) }

    /// Whether these are the bytes.
    @inlinable
    package func holds(_ bytes: Span<UInt8>) -> Bool {
        storage.span.extracting(0..<count).isSame(as: bytes)
    }

    /// Forgets all bytes from that one on; the memory stays.
    ///
    /// Traps when there are not as many.
    @inlinable @inline(__always)
    package mutating func cut(to length: Int) {
        precondition(length >= 0 && length <= count, "Only what is there can be cut off.")
        count = length
    }

    /// Makes room for that many bytes more.
    @inlinable @inline(__always)
    package mutating func reserve(_ additional: Int) {
        if storage.count &- count < additional { grow(additional) }
    }

    @inline(never)
    @usableFromInline mutating func grow(_ additional: Int) {
        let needed = max(count + additional, 2 * storage.count, 256)
        storage.reserveCapacity(needed)
        storage.append(contentsOf: repeatElement(0, count: needed - storage.count))
    }

    /// Appends one byte.
    @inlinable @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count &+= 1
    }

    /// Appends a copy of the bytes.
    @inlinable @inline(__always)
    package mutating func append(_ bytes: Span<UInt8>) {
        let length = bytes.count
        reserve(length)
        let place = count
        count = place &+ length
        var target = storage.mutableSpan
        target.copy(bytes, to: place)
    }

    /// Appends a number in groups of seven bits, least significant group first.
    ///
    /// Traps when the number is below zero.
    @inlinable @inline(__always)
    package mutating func append(variable number: Int) {
        if number >= 0, number < 0x80 {
            append(UInt8(truncatingIfNeeded: number))
        } else {
            append(long: UInt64(number))
        }
    }

    @usableFromInline mutating func append(long number: UInt64) {
        var rest = number
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Gives the bytes away without the memory beyond them, and begins anew without memory.
    @inlinable
    package mutating func take() -> [UInt8] {
        storage.removeLast(storage.count - count)
        count = 0
        defer { storage = [] }
        return storage
    }
}
