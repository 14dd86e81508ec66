import Foundation

/// Base64 with padding.
enum Base64 {
    /// The text of bytes.
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes of a text, or nil when it is not base64.
    static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map(Array.init) }
}
