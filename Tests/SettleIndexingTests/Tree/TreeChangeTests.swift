import SettleIndexing
import SettleStorage
import Testing
import TestSupport

/// Changes of every kind, mixed, each compared with a table made of the entries alone.
@Suite(.serialized) struct `Tree changes` {
    @Test(arguments: 0..<6)
    func `any mixture of changes leaves the bytes of a table made anew`(round: Int) async throws {
        var source = RandomEntries(random: SeededGenerator())
        let seed = "\(source.random), round \(round)"
        let reducer: IndexReducer? =
            [.builtIn(.sum), .builtIn(.count), nil][round % 3]
        let rule = round < 3 ? ScratchTree.small : .standard
        let scratch = try ScratchTree(rule, reducer: reducer)
        var entries: [[UInt8]: TreeEntry] = [:]
        for entry in try source.entries(150) { entries[entry.key] = entry }
        try await scratch.append(sorted(entries))
        for step in 0..<15 {
            let before = entries
            let edits = try edits(of: &entries, with: &source)
            let growth = try await scratch.apply(edits)
            #expect(growth == entries.count - before.count, "\(seed), step \(step)")
            let name = "fresh\(step)"
            try await scratch.append(sorted(entries), to: name)
            let isSame = try scratch.rows() == scratch.rows(name)
            try #require(isSame, "\(seed), step \(step)")
        }
    }

    private func sorted(_ entries: [[UInt8]: TreeEntry]) -> [TreeEntry] {
        entries.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// New values, new heads, nothing new, removals of what is there and is not, and new entries.
    private func edits(
        of entries: inout [[UInt8]: TreeEntry], with source: inout RandomEntries
    ) throws -> [TreeEdit] {
        var edits: [[UInt8]: TreeEdit] = [:]
        for _ in 0..<Int.random(in: 1...12, using: &source.random) {
            let known = sorted(entries).map(\.key).randomElement(using: &source.random)
            let isNew = known == nil || Int.random(in: 0..<5, using: &source.random) == 0
            let key = isNew ? source.key() : known ?? source.key()
            guard edits[key] == nil else { continue }
            var entry = entries[key]
            switch Int.random(in: 0..<6, using: &source.random) {
            case 0: entry = nil
            case 1: break
            case 2: entry?.head = try source.head()
            case 3, 4: entry?.tail = try source.tail()
            default: entry = TreeEntry(key: key, head: try source.head(), tail: try source.tail())
            }
            edits[key] = TreeEdit(key: key, entry: entry.map { ($0.head, $0.tail) })
            entries[key] = entry
        }
        return edits.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    @Test func `an entry is read in place, or is not there`() async throws {
        var source = RandomEntries(random: SeededGenerator())
        let seed = source.random.description
        let scratch = try ScratchTree(ScratchTree.small)
        let entries = try source.entries(200)
        let absent = (0..<100).map { _ in source.key() }
        try await scratch.append(entries)
        try scratch.read { tree in
            for entry in entries {
                let found = try tree.entry(for: entry.key)
                #expect(found == entry, "\(seed)")
            }
            for key in absent {
                let expected = entries.first { $0.key == key }
                let found = try tree.entry(for: key)
                #expect(found == expected, "\(seed)")
            }
        }
    }

    @Test func `a removal and an insertion at once move the ends of inner nodes`() async throws {
        let scratch = try ScratchTree(ScratchTree.small)
        let entries = (0..<60).map { number in
            TreeEntry(key: Array("\(1000 + 10 * number)".utf8), head: [], tail: [])
        }
        try await scratch.append(entries)
        let rows = try scratch.rows()
        try await scratch.write { tree in
            for removed in entries.indices {
                for place in removed + 1..<min(removed + 20, entries.count) {
                    let key = Array("\(1000 + 10 * place + 1)".utf8)
                    _ = try tree.apply([
                        TreeEdit(key: entries[removed].key, entry: nil),
                        TreeEdit(key: key, entry: ([], [])),
                    ])
                    var findings: [String] = []
                    try tree.check(
                        checksReductions: true, report: { findings.append($0) }, advance: { _ in })
                    #expect(findings == [], "without \(removed), with one after \(place)")
                    _ = try tree.apply([
                        TreeEdit(key: entries[removed].key, entry: ([], [])),
                        TreeEdit(key: key, entry: nil),
                    ])
                }
            }
        }
        #expect(try scratch.rows() == rows)
    }
}
