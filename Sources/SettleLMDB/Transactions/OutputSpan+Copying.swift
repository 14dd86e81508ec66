extension OutputSpan where Element == UInt8 {
    /// Appends a copy of bytes.
    ///
    /// Lives here because a copy of a whole span at once needs a pointer, and pointers stay in this
    /// target. Traps when there is no room.
    package mutating func append(copying span: Span<UInt8>) {
        span.withUnsafeBytes { source in
            withUnsafeMutableBufferPointer { buffer, count in
                precondition(
                    source.count <= buffer.count - count, "More bytes are written than reserved.")
                if let from = source.baseAddress, let to = buffer.baseAddress {
                    UnsafeMutableRawPointer(to + count).copyMemory(
                        from: from, byteCount: source.count)
                }
                count += source.count
            }
        }
    }

    /// Appends eight bytes, most significant first, so that byte order is number order.
    ///
    /// Traps when there is no room.
    package mutating func append(fixed64 number: UInt64) {
        withUnsafeMutableBufferPointer { buffer, count in
            precondition(buffer.count - count >= 8, "More bytes are written than reserved.")
            if let start = buffer.baseAddress {
                UnsafeMutableRawPointer(start + count).storeBytes(
                    of: number.bigEndian, as: UInt64.self)
            }
            count += 8
        }
    }
}
