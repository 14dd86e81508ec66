/// The text form of a guid.
enum ODataGuid {
    /// A guid in lower case; nil when the text is not 32 hexadecimal digits in five groups.
    static func canonical(_ text: String) -> String? {
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            switch (index, byte) {
            case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")),
                (23, UInt8(ascii: "-")):
                continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            default: guard isHexadecimal(byte) else { return nil }
            }
        }
        return text.lowercased()
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
            || (0x61...0x66).contains(byte)
    }
}
