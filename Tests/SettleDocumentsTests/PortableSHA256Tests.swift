import SettleDocuments
import Testing

#if canImport(Crypto)
    import Crypto
#endif

@Suite struct `SHA-256 of our own` {
    private func digest(_ pieces: [UInt8]...) -> String {
        var hash = PortableSHA256()
        for piece in pieces { hash.update(data: piece) }
        return ContentDigest(stored: hash.finalize())?.description ?? "not 32 bytes"
    }

    /// The examples of FIPS 180-2, appendix B, and of NIST's "SHA examples".
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func `gives the standard's digests`(text: String, expected: String) {
        #expect(digest(Array(text.utf8)) == expected)
    }

    @Test func `gives the standard's digest of a million times the letter a`() {
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(digest([UInt8](repeating: 97, count: 1_000_000)) == expected)
        var hash = PortableSHA256()
        for _ in 0..<10_000 { hash.update(data: [UInt8](repeating: 97, count: 100)) }
        #expect(ContentDigest(stored: hash.finalize())?.description == expected)
    }

    /// NIST's further vectors for lengths around the padding.
    @Test(arguments: [
        (55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"),
        (56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"),
        (57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"),
        (64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"),
        (1_000, "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"),
    ])
    func `pads zeros as the standard does`(count: Int, expected: String) {
        #expect(digest([UInt8](repeating: 0, count: count)) == expected)
    }

    @Test func `can be asked for a digest and go on`() {
        var hash = PortableSHA256()
        hash.update(data: Array("ab".utf8))
        #expect(hash.finalize() == hash.finalize())
        hash.update(data: [])
        hash.update(data: Array("c".utf8))
        #expect(ContentDigest(stored: hash.finalize()) == ContentDigest(of: Array("abc".utf8)))
    }

    #if canImport(Crypto)
        @Test func `agrees with swift-crypto for every length around three blocks`() {
            for count in 0...200 {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
                var hash = PortableSHA256()
                hash.update(data: bytes)
                #expect(hash.finalize() == Array(Crypto.SHA256.hash(data: bytes)), "\(count) bytes")
            }
        }

        @Test func `agrees with swift-crypto about random bytes in random pieces`() {
            let seed = UInt64.random(in: 0 ... .max)
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<200 {
                var hash = PortableSHA256()
                var other = Crypto.SHA256()
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    let count = Int.random(in: 0...300, using: &generator)
                    let piece = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator)
                    }
                    hash.update(data: piece)
                    other.update(data: piece)
                    #expect(hash.finalize() == Array(other.finalize()), "seed \(seed)")
                }
            }
        }
    #endif
}
