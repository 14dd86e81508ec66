import SettleIndexing
import SettleStorage
import Testing
import TestSupport

/// Damaged bytes give an error or a wrong answer, and never end the process.
@Suite(.serialized) struct `Tree damage` {
    @Test(arguments: 0..<4)
    func `a tree of damaged bytes is used without a trap`(round: Int) async throws {
        var source = RandomEntries(random: SeededGenerator())
        let seed = "\(source.random), round \(round)"
        let reducer: IndexReducer? =
            [.builtIn(.sum), .builtIn(.count), .builtIn(.stats), nil][round % 4]
        let scratch = try ScratchTree(ScratchTree.small, reducer: reducer)
        let entries = try source.entries(80)
        try await scratch.append(entries)
        let rows = try scratch.rows()
        var findings = 0
        for attempt in 0..<60 {
            let name = "damaged"
            var damaged = rows
            for _ in 0..<Int.random(in: 1...3, using: &source.random) {
                damage(&damaged, &source.random)
            }
            let written = damaged
            try await scratch.writeTable(name) { table in
                try table.removeAll()
                for row in written where !row.key.isEmpty { try table.set(row.value, for: row.key) }
            }
            if try !scratch.findings(name).isEmpty { findings += 1 }
            let text = "\(seed), attempt \(attempt)"
            try scratch.read(name) { tree in try use(tree, entries, reducer, text) }
            let edits = Array(entries.shuffled(using: &source.random).prefix(20))
            await ignoringDamage(text) { try await scratch.apply(edits.insertions, to: name) }
            await ignoringDamage(text) { try await scratch.apply(edits.removals, to: name) }
            await ignoringDamage(text) {
                try await scratch.append(
                    [TreeEntry(key: [0xFE, 0xFE, 0xFE, 0xFE], head: [], tail: [])], to: name)
            }
        }
        // Heads are nothing to the tree, so that some damage is not its to find.
        #expect(findings >= 30, "\(seed)")
    }

    private func damage(_ rows: inout [ScratchTree.Row], _ random: inout SeededGenerator) {
        guard let index = rows.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: rows.remove(at: index)
        case 1: rows[index].value.removeLast(min(rows[index].value.count, 3))
        case 2: rows[index].value = []
        case 3:
            let key = rows[index].key + [UInt8.random(in: .min ... .max, using: &random)]
            rows[index] = ScratchTree.Row(key: Array(key.prefix(511)), value: rows[index].value)
        case 4:
            // A length or number far too large.
            let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
            let place = Int.random(in: 0...rows[index].value.count, using: &random)
            rows[index].value.insert(contentsOf: huge, at: place)
        default:
            guard let place = rows[index].value.indices.randomElement(using: &random) else {
                return
            }
            rows[index].value[place] = UInt8.random(in: .min ... .max, using: &random)
        }
    }

    /// Asks the tree everything that can be asked.
    private func use(
        _ tree: SummaryTree, _ entries: [TreeEntry], _ reducer: IndexReducer?, _ text: String
    ) throws {
        let bounds: [[UInt8]?] = [nil, entries[10].key, entries[40].key]
        for lower in bounds {
            for upper in bounds {
                ignoringDamage(text) { _ = try tree.count(from: lower, to: upper) }
                for isDescending in [false, true] {
                    ignoringDamage(text) {
                        try tree.forEach(from: lower, to: upper, isDescending: isDescending) {
                            _, _, _ in true
                        }
                    }
                }
                ignoringDamage(text) {
                    guard let reducer else { return }
                    var reduction = Reduction(reducer)
                    _ = try tree.reduce(from: lower, to: upper, into: &reduction)
                    if !reduction.isEmpty { _ = try reduction.result() }
                }
            }
        }
        for entry in entries {
            ignoringDamage(text) { _ = try tree.entry(for: entry.key) }
            ignoringDamage(text) { _ = try tree.rank(of: entry.key) }
        }
        for rank in 0..<100 { ignoringDamage(text) { _ = try tree.key(atRank: rank) } }
        ignoringDamage(text) { _ = try tree.lastKey() }
        ignoringDamage(text) { _ = try tree.entryCount }
    }

    private func ignoringDamage(_ text: String, _ body: () throws -> Void) {
        do { try body() } catch { expectDamage(error, text) }
    }

    private func ignoringDamage<Value>(
        _ text: String, _ body: () async throws -> Value
    ) async {
        do { _ = try await body() } catch { expectDamage(error, text) }
    }

    private func expectDamage(_ error: any Error, _ text: String) {
        switch error {
        case IndexError.corrupted, IndexError.reduceFailed: break
        default: Issue.record("\(error), \(text)")
        }
    }
}
