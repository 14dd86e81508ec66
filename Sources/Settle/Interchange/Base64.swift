import Foundation

/// Bytes as text, as RFC 4648 has it, with padding.
enum Base64 {
    static func text(of bytes: [UInt8]) -> [UInt8] {
        [UInt8](Data(bytes).base64EncodedData())
    }

    /// The bytes; nil when the text is not base64.
    static func bytes(of text: String) -> [UInt8]? {
        Data(base64Encoded: Data(text.utf8)).map { [UInt8]($0) }
    }
}
