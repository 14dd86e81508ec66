/// A hash that is the same in every run, which the standard library's is not.
@usableFromInline package enum StableHash {
    /// FNV-1a, 64 bits.
    @inlinable
    package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
