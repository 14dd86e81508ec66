/// Tells texts apart, without keeping them.
enum ContentFingerprint {
    /// The FNV-1a hash of a text, in 64 bits.
    static func of(_ text: String) -> String {
        let hash = text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}
