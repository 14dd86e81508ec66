/// The first bytes of encoded keys; Docs/Formats/CollationKeys.md has the whole table.
enum CollationTag {
    /// Ends a string, an array, an object; lower than every tag, so that the shorter comes first.
    static let end: UInt8 = 0x00
    static let null: UInt8 = 0x02
    static let `false`: UInt8 = 0x03
    static let `true`: UInt8 = 0x04
    static let number: UInt8 = 0x05
    static let string: UInt8 = 0x06
    static let array: UInt8 = 0x07
    static let object: UInt8 = 0x08
}
