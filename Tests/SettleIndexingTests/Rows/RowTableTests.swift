import SettleDocuments
import SettleIndexing
import SettleStorage
import Testing
import TestSupport

@Suite struct `Row table` {
    /// Keys that end themselves, as row keys do: no key is the start of another.
    private func randomKey(_ random: inout SeededGenerator) -> [UInt8] {
        let isLong = Int.random(in: 0..<3, using: &random) == 0
        let length =
            isLong
            ? Int.random(in: 480...700, using: &random)
            : Int.random(
                in: 0...6, using: &random)
        // Few different bytes, so that long keys share their first 511.
        let varied = isLong ? 6 : length
        let start = [UInt8](repeating: 7, count: length - varied)
        return start + (0..<varied).map { _ in UInt8.random(in: 6...8, using: &random) } + [1]
    }

    @Test func `keeps the exact order and values of keys of any length`() async throws {
        var random = SeededGenerator()
        let seed = random.description
        let directory = try ScratchDirectory("rows")
        let store = try Store(
            directory: directory.path, options: StoreOptions(), create: true,
            clock: { Timestamp(microseconds: 0) }, publish: { _ in })
        defer { store.close() }
        var oracle: [[UInt8]: [UInt8]] = [:]
        for round in 0..<40 {
            var edits: [([UInt8], [UInt8]?)] = []
            for _ in 0..<25 {
                let key =
                    oracle.keys.randomElement(using: &random).flatMap {
                        Bool.random(using: &random) ? $0 : nil
                    } ?? randomKey(&random)
                let value: [UInt8]? =
                    Int.random(in: 0..<4, using: &random) == 0 ? nil : [UInt8(round), 1]
                oracle[key] = value
                edits.append((key, value))
            }
            let batch = edits
            try await store.write { transaction in
                let rows = RowTable(try transaction.createTable(named: "rows"))
                for (key, value) in batch {
                    if let value { try rows.put(value, for: key) } else { try rows.remove(key) }
                }
            }
            for _ in 0..<10 {
                let bounds = [randomKey(&random), randomKey(&random)].sorted {
                    $0.lexicographicallyPrecedes($1)
                }
                let lower = Bool.random(using: &random) ? bounds[0] : nil
                let upper = Bool.random(using: &random) ? bounds[1] : nil
                let isDescending = Bool.random(using: &random)
                let ascending = oracle.filter { entry in
                    (lower.map { !entry.key.lexicographicallyPrecedes($0) } ?? true)
                        && (upper.map { entry.key.lexicographicallyPrecedes($0) } ?? true)
                }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                let expected = isDescending ? ascending.reversed() : ascending
                var found: [(key: [UInt8], value: [UInt8])] = []
                try store.read("test") { snapshot in
                    guard let table = try snapshot.table(named: "rows") else { return }
                    try RowTable(table).forEach(
                        from: lower, to: upper, isDescending: isDescending
                    ) { key, value in
                        found.append((key, value))
                        return true
                    }
                }
                #expect(found.map(\.key) == expected.map(\.key), "\(seed)")
                #expect(found.map(\.value) == expected.map(\.value), "\(seed)")
            }
        }
    }
}

@Suite struct `Row key` {
    @Test func `orders by key, then by document, then by emit`() {
        let collator = Collator(.unicode)
        let keys: [JSONValue] = [.null, 1, "a", ["a"], ["a", 1]]
        let documents = ["a", "a\u{1}b", "ab", "b", "é"]
        var rows: [[UInt8]] = []
        for key in keys {
            for document in documents {
                for emit in [0, 1, 255, 256, 0xFFFF] {
                    rows.append(
                        RowKey.bytes(
                            collationKey: collator.key(for: key), documentID: document, emit: emit))
                }
            }
        }
        for index in rows.indices.dropFirst() {
            #expect(rows[index - 1].lexicographicallyPrecedes(rows[index]), "row \(index)")
        }
        for (index, row) in rows.enumerated() {
            let parts = RowKey.parts(of: row)
            #expect(parts?.documentID == documents[index / 5 % documents.count])
            #expect(
                parts.map { Array(row[..<$0.keyEnd]) }
                    == collator.key(for: keys[index / (5 * documents.count)]))
        }
    }

    @Test func `that is cut short is refused`() {
        let whole = RowKey.bytes(
            collationKey: Collator(.unicode).key(for: ["a", 1]), documentID: "id", emit: 3)
        for length in 0..<whole.count {
            #expect(RowKey.parts(of: Array(whole.prefix(length))) == nil, "\(length) bytes")
        }
    }
}
