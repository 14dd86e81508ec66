import SettleStorage
import Testing

@testable import Settle
@testable import SettleIndexing

/// That results are brought up to date from what changed, and not by asking again.
@Suite(.serialized) struct `The work for observers` {
    private static let byN = Database.Index.keyPaths(
        name: "byN", keys: [["n"]], value: ["amount"], reduce: .sum)

    /// A database of 1,000 documents, and an observed query that has its first result.
    private func observing(
        _ parameters: any QueryParameters,
        _ body: (Database, LiveList) async throws -> Void
    ) async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            try await database.write { transaction in
                for number in 0..<1_000 {
                    let id = "d\(1_000 + number)"
                    try transaction.save(["id": id, "n": number, "amount": 1])
                }
            }
            let list = try database.observers.observe(parameters, of: "byN")
            _ = await list.buffer.take()
            try await body(database, list)
            database.observers.end(list)
        }
    }

    private var rows: QueryByKeyRange {
        var query = QueryByKeyRange()
        query.reduce = false
        return query
    }

    private func settle(_ database: Database) async throws {
        for _ in 0..<2 {
            let list = try database.observers.observe(rows, of: "byN")
            _ = await list.buffer.take()
            database.observers.end(list)
        }
    }

    /// How many blocks of one answer are in the other.
    private func shared(_ old: ObservedResult, _ new: ObservedResult) -> Int {
        let blocks = Set(old.list.blocks.map { ObjectIdentifier($0) })
        return new.list.blocks.count { blocks.contains(ObjectIdentifier($0)) }
    }

    @Test func `leaves all but the changed part of a result as it is`() async throws {
        try await observing(rows) { database, list in
            let before = try #require(list.delivered)
            try await database.save(["id": "d1500", "n": 500, "amount": 7])
            guard case .answer(let after)? = await list.buffer.take() else {
                Issue.record("no answer")
                return
            }
            #expect(before.list.blocks.count >= 4)
            #expect(shared(before, after) == before.list.blocks.count - 1)
            #expect(QueryResultEnumerator(after)[500].value as? Int == 7)
            #expect(after.totalRows == 1_000)
        }
    }

    @Test func `does not touch a query that the change is not about`() async throws {
        var query = rows
        query.startKey = 100
        query.endKey = 200
        try await observing(query) { database, list in
            let before = try #require(list.delivered)
            try await database.save(["id": "d1500", "n": 300, "amount": 7])
            try await database.delete(documentWithId: "d1050")
            try await settle(database)
            // The answer is the one of before, not another one that is equal.
            #expect(list.delivered?.sequence == before.sequence)
            #expect(try database.lastSequence == before.sequence + 2)
            try await database.save(["id": "d1500", "n": 150, "amount": 7])
            guard case .answer(let after)? = await list.buffer.take() else {
                Issue.record("no answer")
                return
            }
            #expect(after.sequence == before.sequence + 3)
            #expect(after.count == before.count + 1)
        }
    }

    @Test func `keeps an index current within the commit while it is observed`() async throws {
        try await observing(rows) { database, list in
            try await database.save(["id": "x", "n": 5])
            let followed = try database.indexStatus(named: "byN")
            #expect(followed.isCurrent)
            database.observers.end(list)
            try await database.save(["id": "y", "n": 5])
            let left = try database.indexStatus(named: "byN")
            #expect(!left.isCurrent)
        }
    }

    @Test func `catches up with commits that are too large to be followed`() async throws {
        try await observing(rows) { database, list in
            try await database.write { transaction in
                for number in 0..<1_500 {
                    try transaction.save(["id": .some("e\(number)"), "n": number])
                }
            }
            try await database.save(["id": "x", "n": 5])
            var count = 0
            while count != 2_501 {
                guard case .answer(let answer)? = await list.buffer.take() else { break }
                count = answer.count
            }
            #expect(count == 2_501)
            let status = try database.indexStatus(named: "byN")
            #expect(status.isCurrent)
        }
    }

    @Test func `goes on when following an index fails`() async throws {
        try await observing(rows) { database, list in
            // The rows are gone, as after damage, so that the next commit cannot change them.
            try await database.store.write { transaction in
                for slot in 0..<2 {
                    try IndexTables.drop(index: "byN", slot: slot, in: transaction)
                }
            }
            try await database.save(["id": "x", "n": 5])
            let stored = try await database.fetchDocument("x")
            #expect(stored != nil)
            guard case .failure? = await list.buffer.take() else {
                Issue.record("no failure")
                return
            }
        }
    }
}
