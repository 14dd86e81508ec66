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
        guard position >= 0, count - position >= 8 else { return nil }
        let bytes = extracting(position..<position + 8)
        // The compiler makes one load of these eight checked reads.
        let high =
            UInt32(bytes[0]) << 24 | UInt32(bytes[1]) << 16 | UInt32(bytes[2]) << 8
            | UInt32(bytes[3])
        let low =
            UInt32(bytes[4]) << 24 | UInt32(bytes[5]) << 16 | UInt32(bytes[6]) << 8
            | UInt32(bytes[7])
        position += 8
        return UInt64(high) << 32 | UInt64(low)
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

    /// Moves past a number in groups of seven bits; false when there is none.
    func skipVariable(at position: inout Int) -> Bool {
        while position < count {
            let byte = self[position]
            position += 1
            if byte < 0x80 { return true }
        }
        return false
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
        append(contentsOf: RowBytes.fixed64(number))
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

/// The lengths of fields of stored rows.
enum RowBytes {
    /// A number in eight bytes, most significant first, so that byte order is number order.
    static func fixed64(_ number: UInt64) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: number >> 56), UInt8(truncatingIfNeeded: number >> 48),
            UInt8(truncatingIfNeeded: number >> 40), UInt8(truncatingIfNeeded: number >> 32),
            UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
            UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
        ]
    }

    /// The number of bytes of a number in groups of seven bits.
    static func length(variable number: UInt64) -> Int {
        max(1, (70 - number.leadingZeroBitCount) / 7)
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends a number in groups of seven bits, least significant group first.
    mutating func append(variable number: UInt64) {
        var rest = number
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
