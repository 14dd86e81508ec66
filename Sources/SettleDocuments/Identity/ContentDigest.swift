import Crypto

/// The SHA-256 of some bytes: what content is stored under and compared by.
package struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes.
    package let bytes: [UInt8]

    /// The number of bytes of a digest.
    package static let length = 32

    /// The digest of content.
    ///
    /// Cost: linear in its length.
    package init(of content: [UInt8]) {
        bytes = Array(SHA256.hash(data: content))
    }

    /// A digest that was stored; nil unless there are 32 bytes.
    package init?(stored bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// 64 hexadecimal digits in lower case.
    package var description: String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
