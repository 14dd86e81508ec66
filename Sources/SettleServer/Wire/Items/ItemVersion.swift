import Settle

/// The version of an item.
///
/// One that a store made of a document's revision becomes text only for those who ask for it.
enum ItemVersion: Sendable {
    case text(String)
    /// The base64 text of the revision's text.
    case revision(Revision)

    /// The version as it is compared and sent.
    var text: String {
        switch self {
        case .text(let text): return text
        case .revision(let revision):
            var text: [UInt8] = []
            text.reserveCapacity(60)
            Self.append(revision, to: &text)
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Appends the version as a JSON string.
    func appendJSON(to text: inout [UInt8]) {
        switch self {
        case .text(let version): JSONText.append(version, to: &text)
        case .revision(let revision):
            text.append(UInt8(ascii: "\""))
            Self.append(revision, to: &text)
            text.append(UInt8(ascii: "\""))
        }
    }

    private static func append(_ revision: Revision, to text: inout [UInt8]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(43)
        revision.append(to: &bytes)
        appendBase64(of: bytes, to: &text)
    }

    /// > Source: RFC 4648, 4.
    private static func appendBase64(of bytes: [UInt8], to text: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var word = UInt32(bytes[index]) << 16
            if count > 1 { word |= UInt32(bytes[index + 1]) << 8 }
            if count > 2 { word |= UInt32(bytes[index + 2]) }
            for place in 0..<4 {
                let digit = UInt8(truncatingIfNeeded: word >> (18 - 6 * UInt32(place))) & 0x3F
                text.append(place <= count ? letter(digit) : UInt8(ascii: "="))
            }
            index += 3
        }
    }

    private static func letter(_ digit: UInt8) -> UInt8 {
        switch digit {
        case 0..<26: UInt8(ascii: "A") + digit
        case 26..<52: UInt8(ascii: "a") + digit - 26
        case 52..<62: UInt8(ascii: "0") + digit - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}

extension ItemVersion: Equatable {
    static func == (left: ItemVersion, right: ItemVersion) -> Bool {
        if case (.revision(let left), .revision(let right)) = (left, right) { return left == right }
        return left.text == right.text
    }
}
