// The standard library has no safe way yet from a span to an array's end or to a string on the
// systems Settle supports. These functions are the only ones that lend a span's memory out;
// none lets the pointer escape.

extension [UInt8] {
    /// Appends a copy of the bytes in that range of the span.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>, in range: Range<Int>) {
        // Safe: the range is checked by `extracting`, the buffer does not outlive the closure.
        unsafe bytes.extracting(range).withUnsafeBufferPointer { buffer in
            unsafe append(contentsOf: buffer)
        }
    }
}

extension String {
    /// A string of the bytes in that range of the span, which are known to be UTF-8.
    @inline(__always)
    init(decoding bytes: Span<UInt8>, in range: Range<Int>) {
        // Safe: the range is checked by `extracting`, the string copies the buffer.
        self = unsafe bytes.extracting(range).withUnsafeBufferPointer { buffer in
            unsafe String(decoding: buffer, as: UTF8.self)
        }
    }

    /// A string of the bytes in that range of the span, or nil when they are not UTF-8.
    @inline(__always)
    package init?(validating bytes: Span<UInt8>, in range: Range<Int>) {
        // With `String(validating:as:)`, reading a document of 300 bytes took 2.5 us, not 1.5.
        guard UTF8Sequence.isValid(bytes, in: range) else { return nil }
        self.init(decoding: bytes, in: range)
    }
}
