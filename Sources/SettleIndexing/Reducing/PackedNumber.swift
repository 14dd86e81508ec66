import SettleDocuments

extension NumberValue {
    /// The number that the packed bytes are, and nothing follows; nil when they are something else.
    ///
    /// Integers are read here, without the detour over `PackedForm.Content`, which costs several
    /// times what adding a number does; everything else, and all that is damaged, is left to
    /// `PackedForm`.
    /// - Throws: `PackedError` when the bytes are damaged.
    @inline(__always)
    init?(packed bytes: Span<UInt8>) throws(PackedError) {
        if let integer = Self.integer(bytes) {
            self = .integer(integer)
        } else if let number = try Self.other(bytes) {
            self = number
        } else {
            return nil
        }
    }

    @inline(never)
    private static func other(_ bytes: Span<UInt8>) throws(PackedError) -> NumberValue? {
        NumberValue(try PackedForm.whole(of: bytes, in: 0..<bytes.count))
    }

    /// The integer that the packed bytes are, in the one way they may say it.
    @inline(__always)
    private static func integer(_ bytes: Span<UInt8>) -> Int64? {
        let count = bytes.count
        guard count > 0 else { return nil }
        let tag = bytes[0]
        // 40...7F are 0...63, 90...97 greater ones in 1 to 8 bytes, 98...9F negative ones.
        if count == 1 { return tag & 0xC0 == 0x40 ? Int64(tag & 0x3F) : nil }
        guard tag & 0xF0 == 0x90, count == Int(tag & 7) + 2 else { return nil }
        var magnitude: UInt64 = 0
        for index in 1..<count { magnitude = magnitude &<< 8 | UInt64(bytes[index]) }
        let isNegative = tag & 8 != 0
        guard count == 2 || bytes[1] != 0, magnitude <= UInt64(Int64.max),
            isNegative || magnitude > 63
        else { return nil }
        return isNegative ? ~Int64(magnitude) : Int64(magnitude)
    }
}
