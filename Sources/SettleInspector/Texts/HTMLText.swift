import Mustache

/// Text as it stands in a page.
///
/// Escaped byte by byte: a character that is put together of a quotation mark and an accent is one character to Swift,
/// and a quotation mark to a browser.
struct HTMLText: MustacheContentType {
    /// What the templates call it.
    static let name = "PAGE"

    func escapeText(_ text: String) -> String { Self.escaped(text) }

    /// The text with every byte that means something in HTML, in elements and between quotation marks, spelled out.
    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            case UInt8(ascii: "`"): bytes += "&#96;".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
