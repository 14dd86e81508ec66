import SettleLMDB

// Reading and writing the fields of stored rows. Bytes from disk are not trusted: every read
// answers nil when the row is too short or a number does not fit, and the caller turns that into
// StorageError.corrupted.

extension Span where Element == UInt8 {
    /// Reads one byte and moves past it.
    package func byte(at position: inout Int) -> UInt8? {
        guard position < count else { return nil }
        defer { position += 1 }
        return self[position]
    }

    /// Reads eight bytes, most significant first, and moves past them.
    package func fixed64(at position: inout Int) -> UInt64? {
        guard count - position >= 8 else { return nil }
        var number: UInt64 = 0
        for offset in 0..<8 { number = number << 8 | UInt64(self[position + offset]) }
        position += 8
        return number
    }

    /// Reads a number stored in groups of seven bits, least significant group first.
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

    /// Reads a length and then that many bytes.
    package func counted(at position: inout Int) -> [UInt8]? {
        guard let length = variable(at: &position), length <= UInt64(count - position) else {
            return nil
        }
        return copy(Int(length), at: &position)
    }

    /// Copies the next `length` bytes and moves past them.
    package func copy(_ length: Int, at position: inout Int) -> [UInt8]? {
        guard length >= 0, count - position >= length else { return nil }
        defer { position += length }
        return [UInt8](copying: extracting(position..<position + length))
    }

    /// Copies everything from `position` to the end.
    package func rest(from position: Int) -> [UInt8] {
        [UInt8](copying: extracting(position..<count))
    }
}

extension Array where Element == UInt8 {
    /// Appends eight bytes, most significant first, so that byte order is number order.
    package mutating func append(fixed64 number: UInt64) {
        var shift: UInt64 = 64
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends a number in groups of seven bits, least significant group first.
    package mutating func append(variable number: UInt64) {
        var rest = number
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a length and then the bytes.
    package mutating func append(counted bytes: [UInt8]) {
        append(variable: UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}
