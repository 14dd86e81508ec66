import Settle
import SettleOData
import SettlePQ
import SettleServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Changes in PostgreSQL` {
    @Test func `are heard by every process`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables([[], []]) { tables in
            var heard = [
                tables[0].changes().makeAsyncIterator(), tables[1].changes().makeAsyncIterator(),
            ]
            for round in 0..<5 {
                let written = try await tables[round % 2].put("\(round)")
                for index in heard.indices {
                    // There may be signals without a change.
                    var last: Int64 = 0
                    while last < written.updatedAt.microseconds {
                        #expect(await heard[index].next() != nil)
                        last = try await tables[index].read { try $0.lastTime() }
                    }
                }
            }
        }
    }

    @Test func `are heard again after the listening connection was lost`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables([[], []]) { tables in
            var heard = tables[1].changes().makeAsyncIterator()
            for round in 0..<3 {
                try await stores.sql {
                    _ = try $0.run(
                        """
                        SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE 'LISTEN%'
                        """)
                }
                let written = try await tables[0].put("\(round)")
                var last: Int64 = 0
                while last < written.updatedAt.microseconds {
                    #expect(await heard.next() != nil)
                    last = try await tables[1].read { try $0.lastTime() }
                }
            }
        }
    }

    @Test func `end when the store is closed`() async throws {
        let store = try await PostgreSQLStores().open()
        let table = try #require(try await store.table(TableName("notes"), isCreated: true))
        let changes = table.changes()
        await store.close()
        for await _ in changes {}
        for await _ in table.changes() {}
        await #expect(throws: Problem.self) { try await table.put("a") }
        await #expect(throws: Problem.self) { try await table.ids() }
    }

    @Test func `under way are finished before the store is closed`() async throws {
        let stores = try await PostgreSQLStores()
        let store = try await stores.open()
        let table = try #require(try await store.table(TableName("notes"), isCreated: true))
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let write = Task {
            try await table.write(touching: []) { transaction in
                enter.finish()
                try transaction.put("a")
            }
        }
        for await _ in entered {}
        await store.close()
        try await write.value
        let count = try await stores.number("SELECT count(*) FROM settle.items")
        #expect(count == 1)
    }
}
