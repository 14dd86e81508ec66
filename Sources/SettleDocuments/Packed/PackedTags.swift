/// The first bytes of packed values; Docs/Formats/PackedDocuments.md has the whole table.
enum PackedTag {
    /// 0x00...0x3F: a string whose length is the tag.
    static let shortStringMax: UInt8 = 0x3F
    /// 0x40...0x7F: an integer 0...63.
    static let smallInteger: UInt8 = 0x40
    static let smallIntegerMax: Int64 = 63
    static let null: UInt8 = 0x80
    static let `false`: UInt8 = 0x81
    static let `true`: UInt8 = 0x82
    /// 0x83, 0x84, 0x85: a string with a length of 1, 2, 4 bytes.
    static let string: UInt8 = 0x83
    /// 0x86, 0x87, 0x88: an array with a length of 1, 2, 4 bytes.
    static let array: UInt8 = 0x86
    /// 0x89, 0x8A, 0x8B: an object with a count and offsets of 1, 2, 4 bytes.
    static let object: UInt8 = 0x89
    /// 0x90...0x97: an integer from 64 in 1...8 bytes.
    static let positive: UInt8 = 0x90
    /// 0x98...0x9F: a negative integer n as -1 - n in 1...8 bytes.
    static let negative: UInt8 = 0x98
    /// 0xA0...0xA8: a double in 0...8 bytes, trailing zero bytes left out.
    static let double: UInt8 = 0xA0

    /// Whether what begins at the range's start is an object; false also when nothing does.
    @inline(__always)
    static func isObject(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard
            range.lowerBound >= 0, range.lowerBound < range.upperBound,
            range.upperBound <= bytes.count
        else { return false }
        return bytes[range.lowerBound] &- object < 3
    }

    /// The least number of bytes that hold the number, at least 1.
    static func byteCount(_ number: UInt64) -> Int {
        max(1, (71 - number.leadingZeroBitCount) / 8)
    }

    /// How many bytes of a double are left when its trailing zero bytes are dropped.
    static func byteCount(of double: Double) -> Int {
        (71 - double.bitPattern.trailingZeroBitCount) / 8
    }

    /// 0, 1 or 2: the class of width (1, 2 or 4 bytes) that a length needs.
    static func widthClass(_ length: Int) -> UInt8 {
        length <= 0xFF ? 0 : length <= 0xFFFF ? 1 : 2
    }
}
