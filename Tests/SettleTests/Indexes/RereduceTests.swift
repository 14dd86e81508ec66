@testable import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

/// The example of the Predix documentation counts the types of documents, and adds 1 for each count
/// that is reduced again, where it has to add the count.
@Suite(.serialized) struct `Counting types, mended` {
    /// How often the function was called with rows and with results, and with what keys.
    private struct Calls: Sendable {
        var ofRows = 0
        var ofResults = 0
        var rowsMax = 0
        var keysOfResults = 0
        var unequalCounts = 0
    }

    private final class Counter: Sendable {
        private let calls = Lock(Calls())
        var state: Calls { calls.withLock { $0 } }

        var types: Database.Index {
            Database.Index(
                name: "types", version: "1",
                map: { document, addIndexRow in addIndexRow(document["type"], nil) },
                reduce: { [self] keys, values, rereduce in
                    calls.withLock { calls in
                        if rereduce { calls.ofResults += 1 } else { calls.ofRows += 1 }
                        if rereduce { calls.keysOfResults += keys.count }
                        if !rereduce, keys.count != values.count { calls.unequalCounts += 1 }
                        calls.rowsMax = max(calls.rowsMax, values.count)
                    }
                    var counts: [String: Int] = [:]
                    if rereduce {
                        for partial in values.compactMap({ $0 as? [String: Int] }) {
                            counts.merge(partial) { $0 + $1 }
                        }
                    } else {
                        for key in keys.compactMap({ $0 as? String }) {
                            counts[key, default: 0] += 1
                        }
                    }
                    return counts
                })
        }
    }

    private static let names = ["order", "invoice", "note", "offer"]

    private static func type(_ number: Int) -> String { names[number % 7 % 4] }

    private func counts(
        _ database: Database, _ query: QueryByKeyRange = QueryByKeyRange()
    ) async throws -> [String: Int]? {
        try await database.runQuery(on: "types", with: query).rows.first?.value as? [String: Int]
    }

    @Test func `reduces thousands of rows, results of results too`() async throws {
        let counter = Counter()
        try await withDatabase { database async throws in
            try await database.write { transaction in
                for number in 0..<5_000 {
                    try transaction.add(["id": "\(number)", "type": Self.type(number)])
                }
            }
            try await database.addIndex(counter.types)
            var wanted: [String: Int] = [:]
            for number in 0..<5_000 { wanted[Self.type(number), default: 0] += 1 }
            #expect(try await counts(database) == wanted)
            let built = counter.state
            #expect(built.ofRows >= 50 && built.ofResults > 0)
            #expect(built.keysOfResults == 0 && built.unequalCounts == 0)
            #expect(built.rowsMax <= 100)

            // A range that begins and ends within types' rows.
            var part = QueryByKeyRange(startKey: "invoice", endKey: "offer")
            part.inclusiveStart = false
            let inner = try await counts(database, part)
            #expect(inner == wanted.filter { ["note", "offer"].contains($0.key) })
            part.group = true
            let groups = try await database.runQuery(on: "types", with: part).rows
            #expect(groups.map { $0.key as? String } == ["note", "offer"])
            #expect(
                groups.map { $0.value as? [String: Int] } == [
                    wanted.filter { $0.key == "note" }, wanted.filter { $0.key == "offer" },
                ])

            // A changed document costs a few calls, not thousands of rows.
            let before = counter.state
            try await database.save(["id": "7", "type": "rare"])
            wanted[Self.type(7), default: 0] -= 1
            wanted["rare"] = 1
            #expect(try await counts(database) == wanted)
            let after = counter.state
            #expect(after.ofRows - before.ofRows <= 20, "\(after.ofRows - before.ofRows) calls")
            #expect(after.ofResults > before.ofResults)
            #expect(try await database.check() == [])
        }
    }
}
