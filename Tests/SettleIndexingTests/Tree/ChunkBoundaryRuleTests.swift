import SettleIndexing
import Testing
import TestSupport

@Suite(.serialized) struct `Boundary rule` {
    /// The worked examples of Docs/Formats: a hash that changes makes every stored index unreadable.
    @Test(arguments: [
        ("", 0x3FC7_A329_021C_3001 as UInt64), ("a", 0x1BF6_CD51_1429_A814),
        ("ab", 0xD4C5_14FB_2FAC_2C90), ("abcdefgh", 0x6158_40B8_A8A1_8B9B),
        ("abcdefghi", 0x8BCF_F0FF_7A05_B0FC), ("abcdefgh\0", 0x3045_10E3_F1D6_1898),
    ])
    func `the hash of a boundary is fixed for ever`(text: String, hash: UInt64) {
        let bytes = Array(text.utf8)
        #expect(ChunkBoundaryRule.hash(bytes.span) == hash, "\(text)")
    }

    @Test func `every bit of a boundary matters to every bit of its hash`() {
        var random = SeededGenerator(seed: 7)
        for length in [1, 7, 8, 9, 20, 64, 500] {
            for _ in 0..<20 {
                var bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random)
                }
                let hash = ChunkBoundaryRule.hash(bytes.span)
                let index = Int.random(in: 0..<length, using: &random)
                bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                let changed = (hash ^ ChunkBoundaryRule.hash(bytes.span)).nonzeroBitCount
                #expect((8...56).contains(changed), "byte \(index) of \(length)")
            }
        }
    }

    @Test func `neighbouring keys are boundaries as often as the rule says`() async throws {
        // Keys like those of documents numbered one after the other.
        let scratch = try ScratchTree(
            ChunkBoundaryRule(leafLength: 1000, childCount: 4, boundaryLength: 500), reducer: nil)
        let entries = (0..<5000).map { number in
            TreeEntry(key: Array("document-\(10_000 + number)".utf8), head: [], tail: [])
        }
        try await scratch.append(entries)
        let rows = try scratch.rows()
        let counts = (0..<3).map { level in rows.count { $0.key[0] == level } }
        // 22 bytes an entry: 45 entries a leaf; the keys are constant, and so are these numbers.
        #expect((85...140).contains(counts[0]), "\(counts)")
        #expect((15...45).contains(counts[1]), "\(counts)")
    }

    @Test func `an entry of the weight of a leaf stands alone`() async throws {
        let scratch = try ScratchTree(reducer: nil)
        let entries = (0..<UInt8(20)).map { number in
            TreeEntry(key: [number], head: [], tail: [UInt8](repeating: number, count: 4096 - 9))
        }
        try await scratch.append(entries)
        #expect(
            try scratch.rows().map(\.key).filter { $0[0] == 0 }
                == (0..<19).map { [0, $0] } + [[0, 0xFF]])
    }
}
