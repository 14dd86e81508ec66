/// Finds the public key in a certificate.
enum CertificateKey {
    /// The subject public key info of an X.509 certificate, as it stands there in DER; nil when the
    /// bytes are none.
    ///
    /// > Source: RFC 5280, section 4.1.
    static func subjectPublicKeyInfo(inDER bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard let certificate = element(bytes[...]), certificate.tag == sequence,
            let body = element(certificate.content), body.tag == sequence
        else { return nil }
        var rest = body.content
        // The version, which the oldest certificates do not have.
        if let version = element(rest), version.tag == 0xA0 { rest = version.after }
        // Serial number, signature algorithm, issuer, validity, subject.
        for tag in [0x02, sequence, sequence, sequence, sequence] {
            guard let field = element(rest), field.tag == tag else { return nil }
            rest = field.after
        }
        guard let key = element(rest), key.tag == sequence else { return nil }
        return key.whole
    }

    private static let sequence: UInt8 = 0x30

    private struct Element {
        var tag: UInt8
        var whole: ArraySlice<UInt8>
        var content: ArraySlice<UInt8>
        var after: ArraySlice<UInt8>
    }

    /// The first element of some bytes; nil when it is cut off or not in DER.
    private static func element(_ bytes: ArraySlice<UInt8>) -> Element? {
        var index = bytes.startIndex
        guard bytes.count >= 2 else { return nil }
        let tag = bytes[index]
        var length = Int(bytes[index + 1])
        index += 2
        if length >= 0x80 {
            // More than four bytes of length are more than any certificate has.
            let count = length - 0x80
            guard (1...4).contains(count), bytes.endIndex - index >= count else { return nil }
            length = bytes[index..<(index + count)].reduce(0) { $0 << 8 | Int($1) }
            index += count
        }
        guard bytes.endIndex - index >= length else { return nil }
        let end = index + length
        return Element(
            tag: tag, whole: bytes[bytes.startIndex..<end], content: bytes[index..<end],
            after: bytes[end...])
    }
}
