// The standard library has no safe way yet from a span to an array or a string on the systems Settle
// supports, nor from a string to a span. These functions are the only ones that lend such memory out;
// none lets the pointer escape. Byte by byte, a copy of 64 bytes takes four times as long, and one of
// 400 sixty-eight times (Swift 6.3, release).

extension [UInt8] {
    /// A copy of the bytes.
    @inlinable @inline(__always)
    package init(copying bytes: Span<UInt8>) {
        // Safe: the buffer does not outlive the closure.
        self = unsafe bytes.withUnsafeBufferPointer { buffer in unsafe Array(buffer) }
    }

    /// Appends a copy of the bytes in that range of the span.
    ///
    /// Traps when the span has no such range.
    @inlinable @inline(__always)
    package mutating func append(_ bytes: Span<UInt8>, in range: Range<Int>) {
        // Safe: the range is checked by `extracting`, the buffer does not outlive the closure.
        unsafe bytes.extracting(range).withUnsafeBufferPointer { buffer in
            unsafe append(contentsOf: buffer)
        }
    }
}

extension String {
    /// A string of the bytes in that range of the span, which are known to be UTF-8.
    ///
    /// Traps when the span has no such range.
    @inlinable @inline(__always)
    package init(decoding bytes: Span<UInt8>, in range: Range<Int>) {
        // Safe: the range is checked by `extracting`, the string copies the buffer.
        self = unsafe bytes.extracting(range).withUnsafeBufferPointer { buffer in
            unsafe String(decoding: buffer, as: UTF8.self)
        }
    }

    /// Lends the UTF-8 of the string.
    ///
    /// `String.utf8Span` does it too, from macOS 26 on. By an iterator over the bytes, laying out a name
    /// of four took 20 ns and one of nine 30 to 45; this way it takes 7 and 4.
    @inlinable @inline(__always)
    package func withUTF8Bytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        // Safe: the span cannot escape the body, and the bytes are good as long as it runs.
        let lent = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            body(unsafe bytes.span)
        }
        // Only strings that Objective-C made have no such bytes.
        return lent ?? body(Array(utf8).span)
    }
}
