// Reading and writing the fields of stored rows. Bytes from disk are not trusted: every read
// answers nil when the row is too short or a number does not fit, and the caller turns that into an
// error of its own.

extension Span where Element == UInt8 {
    /// Reads one byte and moves past it.
    @inlinable
    package func byte(at position: inout Int) -> UInt8? {
        guard position < count else { return nil }
        defer { position += 1 }
        return self[position]
    }

    /// Reads eight bytes, most significant first, and moves past them.
    @inlinable
    package func fixed64(at position: inout Int) -> UInt64? {
        guard position >= 0, count - position >= 8 else { return nil }
        defer { position += 8 }
        return word(at: position).byteSwapped
    }

    /// Reads a number stored in groups of seven bits, least significant group first.
    @inlinable
    package func variable(at position: inout Int) -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let next = byte(at: &position) {
            let bits = UInt64(next & 0x7F)
            guard shift < 63 || (shift == 63 && bits <= 1) else { return nil }
            number |= bits << shift
            if next & 0x80 == 0 { return number }
            shift += 7
        }
        return nil
    }

    /// Reads a count or a length in groups of seven bits, least significant first, and moves past it.
    ///
    /// Nil also when the number is no length that memory could hold. Faster than ``variable(at:)`` where
    /// most numbers have one byte.
    @inlinable @inline(__always)
    package func length(at position: inout Int) -> Int? {
        guard position < count else { return nil }
        let first = self[position]
        if first < 0x80 {
            position &+= 1
            return Int(first)
        }
        return longLength(at: &position)
    }

    @usableFromInline func longLength(at position: inout Int) -> Int? {
        var number = 0
        var shift = 0
        // Seven groups are 49 bits: more than any count or length here can be.
        while shift < 49, position < count {
            let next = self[position]
            position += 1
            number |= Int(next & 0x7F) << shift
            if next < 0x80 { return number }
            shift += 7
        }
        return nil
    }

    /// Moves past a number in groups of seven bits; false when there is none.
    @inlinable
    package func skipVariable(at position: inout Int) -> Bool {
        while position < count {
            let byte = self[position]
            position += 1
            if byte < 0x80 { return true }
        }
        return false
    }

    /// Reads a length and then that many bytes.
    @inlinable
    package func counted(at position: inout Int) -> [UInt8]? {
        guard let length = variable(at: &position), length <= UInt64(count - position) else {
            return nil
        }
        return copy(Int(length), at: &position)
    }

    /// Copies the next `length` bytes and moves past them.
    @inlinable
    package func copy(_ length: Int, at position: inout Int) -> [UInt8]? {
        guard length >= 0, count - position >= length else { return nil }
        defer { position += length }
        return [UInt8](copying: extracting(position..<position + length))
    }

    /// Copies everything from `position` to the end.
    @inlinable
    package func rest(from position: Int) -> [UInt8] {
        [UInt8](copying: extracting(position..<count))
    }
}

extension Array where Element == UInt8 {
    /// Appends eight bytes, most significant first, so that byte order is number order.
    @inlinable
    package mutating func append(fixed64 number: UInt64) {
        append(contentsOf: RowBytes.fixed64(number))
    }

    /// Appends a number in groups of seven bits, least significant group first.
    @inlinable
    package mutating func append(variable number: UInt64) {
        var rest = number
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a length and then the bytes.
    @inlinable
    package mutating func append(counted bytes: some Collection<UInt8>) {
        append(variable: UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}

/// Numbers as fields of stored rows.
@usableFromInline package enum RowBytes {
    /// A number in eight bytes, most significant first, so that byte order is number order.
    @inlinable
    package static func fixed64(_ number: UInt64) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: number >> 56), UInt8(truncatingIfNeeded: number >> 48),
            UInt8(truncatingIfNeeded: number >> 40), UInt8(truncatingIfNeeded: number >> 32),
            UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
            UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
        ]
    }

    /// How many bytes a number has in groups of seven bits.
    @inlinable
    package static func length(variable number: UInt64) -> Int {
        max(1, (70 - number.leadingZeroBitCount) / 7)
    }
}
