/// What content is known by: its SHA-256.
package struct AttachmentDigest: Sendable, Hashable {
    /// 64 hexadecimal digits in lower case.
    package let text: String

    /// Checks a digest; nil when it is none.
    package init?(_ text: String) {
        guard text.utf8.count == 64, text.utf8.allSatisfy(Self.isDigit) else { return nil }
        self.text = text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
