/// Writes bytes as Base64 (RFC 4648), straight into a text.
///
/// For what is written again and again: Foundation's makes two buffers for each text.
enum Base64 {
    /// The digits of Base64 (4) and those for URLs (5).
    enum Alphabet {
        static let standard = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        static let forURLs = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    }

    /// Appends the text for some bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - digits: The 64 digits.
    ///   - isPadded: Whether `=` fills the last four digits.
    ///   - text: What is appended to.
    static func append(
        _ bytes: [UInt8], digits: [UInt8] = Alphabet.standard, isPadded: Bool = true,
        to text: inout [UInt8]
    ) {
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group: UInt32 = 0
            for place in 0..<3 {
                group = group << 8 | (place < count ? UInt32(bytes[index + place]) : 0)
            }
            for place in 0..<4 {
                if place <= count {
                    text.append(digits[Int(group >> UInt32(18 - 6 * place) & 0x3F)])
                } else if isPadded {
                    text.append(UInt8(ascii: "="))
                }
            }
            index += 3
        }
    }
}
