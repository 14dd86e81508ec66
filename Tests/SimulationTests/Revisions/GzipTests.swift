import Foundation
import TestSupport
import Testing

@testable import SettleREST
@testable import SettleServer

@Suite struct `Bytes packed by gzip` {
    @Test func `come back as they were`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for length in [0, 1, 3, 4, 5, 257, 258, 259, 260, 1_000, 40_000] {
            for distinct in [1, 2, 40, 256] {
                var bytes = (0..<length).map { _ in
                    UInt8(Int.random(in: 0..<distinct, using: &generator))
                }
                // Something that repeats, near and further than a window back.
                bytes += bytes.prefix(500)
                let packed = Gzip.packed(bytes)
                #expect(
                    try Inflate.gunzip(packed, bytesMax: bytes.count) == bytes,
                    "seed \(seed), \(length) of \(distinct)")
                #expect(packed.count <= bytes.count * 9 / 8 + 32)
            }
        }
    }

    @Test func `are fewer when they repeat`() {
        let text = (0..<500).map { "{\"_id\":\"document \($0)\",\"kind\":\"note\"}" }.joined()
        #expect(Gzip.packed(Array(text.utf8)).count * 3 < text.utf8.count)
    }
}
