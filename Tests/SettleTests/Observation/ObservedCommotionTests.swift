import Synchronization
import TestSupport
import Testing

@testable import Settle

/// Writers, observers that come and go, and an index that is replaced, all at once.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Observers amidst a commotion` {
    private static func index(_ version: Int) -> Database.Index {
        Database.Index(name: "i", version: "\(version)", builtInReduce: .count) {
            document, addIndexRow in
            guard let n = document.integer("n") else { return }
            addIndexRow(version.isMultiple(of: 2) ? n : -n, document["note"])
        }
    }

    private static func queries() -> [QueryByKeyRange] {
        var rows = QueryByKeyRange()
        rows.reduce = false
        var window = rows
        window.rowLimit = 3
        window.sortOrder = .descending
        window.includeDocuments = true
        var later = rows
        later.startRow = 2
        later.rowLimit = 4
        var groups = QueryByKeyRange()
        groups.group = true
        return [rows, window, later, groups, QueryByKeyRange()]
    }

    @Test(arguments: [31, 32] as [UInt64])
    func `come to the last state`(seed: UInt64) async throws {
        try await withDatabase(indexes: [Self.index(0)]) { database async throws in
            let queries = Self.queries()
            let inboxes = queries.map { _ in Inbox<QueryResultEnumerator>() }
            let observers = zip(queries, inboxes).map { query, inbox in
                database.observeQuery(on: "i", with: query) { inbox.put($0) }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<3 as Range<UInt64> {
                    group.addTask {
                        var random = SeededGenerator(seed: seed * 10 + writer)
                        for step in 0..<60 {
                            try await Self.commit(to: database, step: step, &random)
                        }
                    }
                }
                group.addTask {
                    for version in 1...4 { try await database.addIndex(Self.index(version)) }
                }
                group.addTask {
                    for number in 0..<40 {
                        var results = database.queryResults(
                            on: "i", with: queries[number % queries.count]
                        ).makeAsyncIterator()
                        _ = try await results.next()
                    }
                }
                try await group.waitForAll()
            }
            for (query, inbox) in zip(queries, inboxes) {
                let fresh = try await database.runQuery(on: "i", with: query)
                // It waits for ever if the last state is lost.
                let last = await inbox.first { $0.error == nil && $0.rows == fresh.rows }
                #expect(last != nil)
            }
            withExtendedLifetime(observers) {}
        }
    }

    private static func commit(
        to database: Database, step: Int, _ random: inout SeededGenerator
    ) async throws {
        var changes: [(Document, isPurge: Bool)] = []
        // Some commits are too large to be followed.
        let count = step % 30 == 29 ? 1_100 : Int.random(in: 1..<4, using: &random)
        for number in 0..<count {
            let choice = count > 1_000 ? number : Int.random(in: 0..<30, using: &random)
            var document = Document(id: "d\(choice)")
            document["n"] = Int.random(in: 0..<10, using: &random)
            document["note"] = Int.random(in: 0..<3, using: &random)
            changes.append((document, Int.random(in: 0..<5, using: &random) == 0))
        }
        try await database.write { [changes] transaction in
            for (document, isPurge) in changes {
                if isPurge {
                    _ = try transaction.purge(documentsWithIds: [document.id])
                } else {
                    try transaction.save(document)
                }
            }
        }
    }
}
