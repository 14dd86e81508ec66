/// Percent-encoding of URL parts (RFC 3986), refusing what is not UTF-8.
package enum PercentEncoding {
    /// The text that an encoded part stands for.
    ///
    /// - Parameters:
    ///   - part: The part, as it stands in the URL.
    ///   - plusIsSpace: Whether `+` stands for a space, as it does in queries.
    /// - Returns: The text; nil for a `%` without two hexadecimal digits and for bytes that are
    ///   not UTF-8.
    package static func decoded(_ part: Substring, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = part.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit),
                    let low = rest.popFirst().flatMap(digit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A text as one segment of a path: everything but unreserved characters is encoded.
    package static func encoded(_ text: String) -> String {
        encoded(text, keeping: [])
    }

    /// A text as a value in a query: what conditions are made of stays readable.
    package static func queryValue(_ text: String) -> String {
        encoded(text, keeping: readable)
    }

    private static let readable = Set("()',$*!".utf8)

    private static func encoded(_ text: String, keeping kept: Set<UInt8>) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isUnreserved(byte) || kept.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), hex(byte >> 4), hex(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func hex(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
        default: false
        }
    }
}
