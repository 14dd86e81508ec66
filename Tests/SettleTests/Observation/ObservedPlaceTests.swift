import Settle
import TestSupport
import Testing

/// What an observed result says beside its rows.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `The place of an observed result` {
    /// A document within the range, whose value tells the results apart.
    private static let marker = "marker"

    @Test(arguments: [1, 2] as [UInt64])
    func `is that of a fresh query, whatever changed before and behind it`(
        seed: UInt64
    ) async throws {
        let index = Database.Index.keyPaths(name: "byN", keys: [["n"]], value: ["v"])
        try await withDatabase(indexes: [index]) { database async throws in
            var random = SeededGenerator(seed: seed)
            for number in 0..<30 {
                try await database.add(["id": .some("d\(number)"), "n": .some(number), "v": 0])
            }
            try await database.add(["id": .some(Self.marker), "n": 15, "v": 0])
            var query = QueryByKeyRange(startKey: 10, endKey: 20)
            // From the end to the beginning.
            if seed == 2 {
                query = QueryByKeyRange(startKey: 20, endKey: 10)
                query.sortOrder = .descending
            }
            var results = database.queryResults(on: "byN", with: query).makeAsyncIterator()
            _ = try await results.next()
            for step in 1..<120 {
                // Some are not shown, and what they move shows with a later one.
                for _ in 0..<Int.random(in: 0..<3, using: &random) {
                    try await Self.change(database, &random)
                }
                try await database.save(
                    ["id": .some(Self.marker), "n": 15, "v": .some(step)])
                let fresh = try await database.runQuery(on: "byN", with: query)
                var result = try await results.next()
                while let some = result, some.sequence < fresh.sequence {
                    result = try await results.next()
                }
                #expect(result?.sequence == fresh.sequence, "seed \(seed), step \(step)")
                #expect(result?.totalRows == fresh.totalRows, "seed \(seed), step \(step)")
                #expect(result?.offset == fresh.offset, "seed \(seed), step \(step)")
                #expect(result?.rows == fresh.rows, "seed \(seed), step \(step)")
            }
        }
    }

    /// Makes, moves, or deletes a document, or changes its value alone.
    private static func change(
        _ database: Database, _ random: inout SeededGenerator
    ) async throws {
        let id = "d\(Int.random(in: 0..<40, using: &random))"
        let stored = try await database.fetchDocument(id)
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where stored != nil:
            try await database.delete(documentWithId: id)
        case 1:
            let number = stored?.integer("n") ?? 3
            try await database.save([
                "id": .some(id), "n": .some(number),
                "v": .some(Int.random(in: 0..<99, using: &random)),
            ])
        default:
            let number = Int.random(in: 0..<30, using: &random)
            try await database.save(["id": .some(id), "n": .some(number), "v": 0])
        }
    }
}
