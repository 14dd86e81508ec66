/// The order of keys, which is that of their bytes.
@usableFromInline package enum KeyBytes {
    /// Below, at, or above zero as the left bytes come before, equal, or come after the right ones.
    @inlinable @inline(__always)
    package static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        let shared = left.sharedCount(with: right)
        if shared < left.count, shared < right.count {
            return Int(left[shared]) - Int(right[shared])
        }
        return left.count - right.count
    }

    /// Below, at, or above zero as the left bytes come before, equal, or come after the right ones.
    @inlinable
    package static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        compare(left.span, right.span)
    }

    /// The first bytes, at most that many; a copy only where there are more.
    @inlinable
    package static func prefix(_ bytes: [UInt8], _ countMax: Int) -> [UInt8] {
        bytes.count <= countMax ? bytes : Array(bytes[..<countMax])
    }
}
