import SettleDocuments

/// HMAC with SHA-256, over Settle's own SHA-256: no package that apps would have to fetch.
///
/// > Source: RFC 2104; RFC 4231 has the tests.
enum MessageAuthentication {
    private static let blockLength = 64

    /// The authentication code of a message: 32 bytes.
    static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > blockLength ? ContentDigest(of: key).bytes : key
        block += repeatElement(0, count: blockLength - block.count)
        var inner = ContentHasher()
        inner.update(block.map { $0 ^ 0x36 })
        inner.update(message)
        var outer = ContentHasher()
        outer.update(block.map { $0 ^ 0x5C })
        outer.update(inner.digest.bytes)
        return outer.digest.bytes
    }
}
