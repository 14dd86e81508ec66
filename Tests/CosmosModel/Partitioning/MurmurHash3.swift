/// The hash function of partition keys, in its two widths.
///
/// > Source: Austin Appleby, MurmurHash3 (public domain).
enum MurmurHash3 {
    /// The 32-bit hash with seed 0.
    static func hash32(_ bytes: [UInt8]) -> UInt32 {
        let first: UInt32 = 0xCC9E_2D51
        let second: UInt32 = 0x1B87_3593
        var hash: UInt32 = 0
        var index = 0
        func scrambled(_ word: UInt32) -> UInt32 { rotated(word &* first, by: 15) &* second }
        while index + 4 <= bytes.count {
            hash ^= scrambled(UInt32(truncatingIfNeeded: word(bytes[index..<index + 4])))
            hash = rotated(hash, by: 13) &* 5 &+ 0xE654_6B64
            index += 4
        }
        if index < bytes.count {
            hash ^= scrambled(UInt32(truncatingIfNeeded: word(bytes[index...])))
        }
        hash ^= UInt32(truncatingIfNeeded: bytes.count)
        hash = (hash ^ (hash >> 16)) &* 0x85EB_CA6B
        hash = (hash ^ (hash >> 13)) &* 0xC2B2_AE35
        return hash ^ (hash >> 16)
    }

    /// The 128-bit hash with seed 0: its low half and its high half.
    static func hash128(_ bytes: [UInt8]) -> (low: UInt64, high: UInt64) {
        let first: UInt64 = 0x87C3_7B91_1142_53D5
        let second: UInt64 = 0x4CF5_AD43_2745_937F
        var low: UInt64 = 0
        var high: UInt64 = 0
        func lowScrambled(_ word: UInt64) -> UInt64 { rotated(word &* first, by: 31) &* second }
        func highScrambled(_ word: UInt64) -> UInt64 { rotated(word &* second, by: 33) &* first }
        var index = 0
        while index + 16 <= bytes.count {
            low ^= lowScrambled(word(bytes[index..<index + 8]))
            low = (rotated(low, by: 27) &+ high) &* 5 &+ 0x52DC_E729
            high ^= highScrambled(word(bytes[index + 8..<index + 16]))
            high = (rotated(high, by: 31) &+ low) &* 5 &+ 0x3849_5AB5
            index += 16
        }
        let rest = bytes[index...]
        high ^= highScrambled(word(rest.dropFirst(8)))
        low ^= lowScrambled(word(rest.prefix(8)))
        low ^= UInt64(bytes.count)
        high ^= UInt64(bytes.count)
        low &+= high
        high &+= low
        low = mixed(low)
        high = mixed(high)
        low &+= high
        high &+= low
        return (low, high)
    }

    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = (word ^ (word >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ (word >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return word ^ (word >> 33)
    }

    /// The bytes as a number, the lowest first.
    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func rotated<Word: FixedWidthInteger>(_ word: Word, by count: Int) -> Word {
        word << count | word >> (Word.bitWidth - count)
    }
}
