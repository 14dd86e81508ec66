import SettleDocuments
import SettleIndexing
import Testing
import TestSupport

/// What the bytes of leaves and summaries are, as Docs/Formats has it.
@Suite(.serialized) struct `Leaf form` {
    @Test func `a leaf is a header and entries that leave out what they share`() async throws {
        let scratch = try ScratchTree(reducer: .builtIn(.count))
        let entries = [
            TreeEntry(key: [1, 2, 3], head: [9, 9], tail: [4]),
            TreeEntry(key: [1, 2, 4, 5], head: [9, 9], tail: []),
            TreeEntry(key: [2], head: [], tail: [6, 7]),
            TreeEntry(key: [3], head: [], tail: []),
        ]
        try await scratch.apply(entries.insertions)
        let rows = try scratch.rows()
        let partial = try partial(of: entries, .builtIn(.count))
        #expect(rows.map(\.key) == [[0, 0xFF]])
        #expect(
            rows[0].value
                == [4, UInt8(partial.count + 1)] + partial
                + [0, 3, 1, 2, 3, 3, 9, 9, 1, 4]
                + [2, 2, 4, 5, 0, 0]
                + [0, 1, 2, 1, 2, 6, 7]
                + [0, 1, 3, 0, 0])
    }

    @Test func `a summary is a header alone`() async throws {
        let scratch = try ScratchTree(
            ChunkBoundaryRule(leafLength: 1, childCount: 2, boundaryLength: 500),
            reducer: .builtIn(.count))
        let entries = (1...40).map { TreeEntry(key: [UInt8($0)], head: [], tail: []) }
        try await scratch.apply(entries.insertions)
        let rows = try scratch.rows()
        let top = try #require(rows.last)
        let partial = try partial(of: entries, .builtIn(.count))
        #expect(top.key.count == 2 && top.key[0] > 1 && top.key[1] == 0xFF)
        #expect(top.value == [40, UInt8(partial.count + 1)] + partial)
    }

    @Test func `without a reducer no reduction is stored`() async throws {
        let scratch = try ScratchTree(reducer: nil)
        try await scratch.apply([TreeEntry(key: [1], head: [2], tail: [3])].insertions)
        #expect(try scratch.rows().map(\.value) == [[1, 0, 0, 1, 1, 2, 2, 1, 3]])
    }

    @Test func `lengths of more than seven bits take more bytes`() async throws {
        let scratch = try ScratchTree(reducer: nil)
        let key = [UInt8](repeating: 5, count: 300)
        let head = [UInt8](repeating: 6, count: 127)
        let tail = [UInt8](repeating: 7, count: 20_000)
        try await scratch.apply([TreeEntry(key: key, head: head, tail: tail)].insertions)
        #expect(
            try scratch.rows().map(\.value)
                == [
                    [1, 0, 0, 0xAC, 2] + key + [0x80, 1] + head + [0xA0, 0x9C, 1] + tail
                ])
        let entry = try scratch.read { try $0.entry(for: key) }
        #expect(entry == TreeEntry(key: key, head: head, tail: tail))
    }

    private func partial(of entries: [TreeEntry], _ reducer: IndexReducer) throws -> [UInt8] {
        var reduction = Reduction(reducer)
        for entry in entries {
            try reduction.add(key: entry.key.span, head: entry.head.span, tail: entry.tail.span)
        }
        return try reduction.encoded()
    }
}
