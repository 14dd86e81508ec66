import Settle
import SettleOData
import SettleServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Order of commits in PostgreSQL` {
    @Test func `lets a reader who follows the times miss nothing`() async throws {
        try await PostgreSQLStores().withTables([[], [], [], []]) { tables in
            let reader = tables[3]
            let (writersPerStore, writesPerWriter) = (4, 15)
            let total = 3 * writersPerStore * writesPerWriter
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (store, table) in tables.prefix(3).enumerated() {
                    for writer in 0..<writersPerStore {
                        group.addTask {
                            for number in 0..<writesPerWriter {
                                try await table.put("\(store)-\(writer)-\(number)")
                            }
                        }
                    }
                }
                var seen: [TimelineEntry] = []
                while seen.count < total {
                    let news = try await reader.entries(from: (seen.last?.time ?? 0) + 1)
                    seen += news
                    if news.isEmpty { await Task.yield() }
                }
                try await group.waitForAll()
                #expect(Set(seen.map(\.id)).count == total)
                #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.time < $1.time })
                let all = try await reader.entries()
                #expect(all == seen)
            }
        }
    }

    @Test func `goes on when the clock stands still, in every process`() async throws {
        try await PostgreSQLStores().withTables([[], []]) { tables in
            var times: [Int64] = []
            for number in 0..<10 {
                let item = try await tables[number % 2].put("a")
                times.append(item.updatedAt.microseconds)
            }
            let start: Int64 = 1_700_000_000_000_000
            #expect(times == (0..<10).map { start + $0 })
            let last = try await tables[0].read { try $0.lastTime() }
            #expect(last == start + 9)
        }
    }

    @Test func `gives each write another version`() async throws {
        try await PostgreSQLStores().withTables { tables in
            var versions: Set<String> = []
            for _ in 0..<20 { versions.insert(try await tables[0].put("a").version) }
            #expect(versions.count == 20)
            let stored = try await tables[0].read { try $0.item("a")?.version }
            #expect(versions.contains(try #require(stored)))
        }
    }
}
