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
        var hash = SHA256()
        hash.update(data: content)
        bytes = Array(hash.finalize())
    }

    fileprivate init(of hash: SHA256) {
        bytes = Array(hash.finalize())
    }

    /// A digest from 64 hexadecimal digits in lower case; nil for any other text.
    package init?(_ text: String) {
        guard text.utf8.count == 2 * Self.length else { return nil }
        var bytes: [UInt8] = []
        var half: UInt8?
        for digit in text.utf8 {
            let number: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = half {
                bytes.append(first << 4 | number)
                half = nil
            } else {
                half = number
            }
        }
        self.bytes = bytes
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

/// Works out the digest of content that comes in pieces.
package struct ContentHasher: Sendable {
    private var hash = SHA256()
    /// How many bytes there were so far.
    package private(set) var length = 0

    /// A hasher that has seen nothing.
    package init() {}

    /// Takes the next piece.
    package mutating func update(_ piece: [UInt8]) {
        hash.update(data: piece)
        length += piece.count
    }

    /// The digest of everything so far.
    package var digest: ContentDigest { ContentDigest(of: hash) }
}
