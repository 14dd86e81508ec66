/// Percent-encoding, as paths and queries of URLs have it.
///
/// > Source: RFC 3986, 2; the form encoding of the URL standard.
enum Percent {
    /// The text with every byte but letters, digits and `-._~` encoded.
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text that was encoded; nil when an escape is none, or the bytes are not UTF-8.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(value),
                    let low = rest.popFirst().flatMap(value)
                else { return nil }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func value(of digit: UInt8) -> UInt8? {
        switch Unicode.Scalar(digit) {
        case "0"..."9": digit - UInt8(ascii: "0")
        case "a"..."f": digit - UInt8(ascii: "a") + 10
        case "A"..."F": digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
