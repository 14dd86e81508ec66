extension Array where Element == UInt8 {
    /// Copies bytes that are borrowed from a transaction, so that they may outlive it.
    ///
    /// Lives here because a copy of a whole span at once needs a pointer, and pointers stay in
    /// this target; the layers above would have to copy byte by byte.
    package init(copying span: Span<UInt8>) {
        self = span.withUnsafeBufferPointer { Array($0) }
    }
}
