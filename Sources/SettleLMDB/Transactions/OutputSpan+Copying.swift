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
}
