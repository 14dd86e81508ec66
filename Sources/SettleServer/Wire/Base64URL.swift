import Foundation

/// Base64 with the alphabet for URLs and no padding (RFC 4648, 5), as tokens are written.
enum Base64URL {
    /// The text for some bytes.
    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 3)
        Base64.append(bytes, digits: Base64.Alphabet.forURLs, isPadded: false, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text, nil when it is none.
    static func bytes(of text: String) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        var base64 = String(
            text.map { character -> Character in
                switch character {
                case "-": "+"
                case "_": "/"
                default: character
                }
            })
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64).map { [UInt8]($0) }
    }
}
