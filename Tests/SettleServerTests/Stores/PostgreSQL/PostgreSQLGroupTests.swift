import Foundation
import HTTPTypes
import Settle
import SettlePQ
import SettleServer
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Writes that come together in PostgreSQL` {
    private struct Stop: Error {}

    /// How many tasks have begun.
    private final class Started: Sendable {
        let count = Atomic(0)
    }

    /// Runs writes while another connection holds the table's lock, so that they wait together.
    private func together(
        _ stores: PostgreSQLStores, _ table: any StoredTable,
        _ writes: [@Sendable (any StoredTable) async throws -> Void]
    ) async throws -> [Bool] {
        let (release, held) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self))
        let holder = Task {
            try await stores.sql { connection in
                try connection.transaction(.write) {
                    try connection.run("SELECT 1 FROM settle.tables FOR UPDATE")
                    held.continuation.finish()
                    release.wait()
                }
            }
        }
        for await _ in held.stream {}
        let started = Started()
        let tasks = writes.map { write in
            Task<Bool, any Error> {
                started.count.add(1, ordering: .relaxed)
                do {
                    try await write(table)
                    return true
                } catch is Stop {
                    return false
                }
            }
        }
        while started.count.load(ordering: .relaxed) < writes.count { await Task.yield() }
        // The first of them waits for the lock, in a statement that can be seen.
        while try await stores.number(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND datname = current_database()
            """) == 0
        { await Task.yield() }
        release.signal()
        _ = try await holder.value
        var results: [Bool] = []
        for task in tasks { results.append(try await task.value) }
        return results
    }

    @Test func `share transactions, and those that throw leave no trace`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            try await tables[0].put("old", ["n": 0])
            let results = try await together(
                stores, tables[0],
                (0..<40).map { number in
                    { table in
                        try await table.write(touching: ["\(number)"]) { transaction in
                            try transaction.put("\(number)", ["n": .integer(Int64(number))])
                            if number % 4 == 1 {
                                try transaction.put("old", ["n": .integer(Int64(number))])
                                throw Stop()
                            }
                        }
                    }
                })
            #expect(results == (0..<40).map { $0 % 4 != 1 })
            let ids = Set(try await tables[0].ids())
            #expect(ids == Set((0..<40).filter { $0 % 4 != 1 }.map(String.init) + ["old"]))
            let old = try await tables[0].read { try $0.item("old")?.members }
            #expect(old == ["n": 0])
            let transactions = try await stores.number(
                "SELECT count(DISTINCT xmin::text) FROM settle.items WHERE id <> 'old'")
            #expect(transactions < 30)
        }
    }

    @Test func `see each other's changes, and in all kinds of reads`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables([[["n"]]]) { tables in
            let counts = Mutex<[Int]>([])
            _ = try await together(
                stores, tables[0],
                (0..<12).map { number in
                    { table in
                        let count = try await table.write(touching: []) { transaction in
                            try transaction.put("\(number)", ["n": 1], leaving: ["c"])
                            try transaction.put("\(number)", ["n": 2])
                            var walked: [String] = []
                            try transaction.forEachItem(after: nil) {
                                walked.append($0.id)
                                return true
                            }
                            var places: [String] = []
                            try transaction.forEachEntry(in: 0 ... .max) { entry, item in
                                let read = try item()
                                if read?.id == entry.id { places.append(entry.id) }
                                return true
                            }
                            // The item, and the mark where it was first.
                            #expect(places.count == 2 * walked.count)
                            #expect(walked.contains("\(number)"))
                            if number % 3 == 0 { throw Stop() }
                            return walked.count
                        }
                        counts.withLock { $0.append(count) }
                    }
                })
            // Eight are stored, and each saw one more than the one before.
            #expect(counts.withLock { $0.sorted() } == Array(1...8))
            let keys = try await stores.number("SELECT count(*) FROM settle.keys")
            #expect(keys == 8)
            let marks = try await stores.number("SELECT count(*) FROM settle.marks")
            #expect(marks == 8)
        }
    }

    @Test func `may be larger than one statement takes`() async throws {
        try await PostgreSQLStores().withTables { tables in
            let text = String(repeating: "ä", count: 600_000)
            let ids = (0..<6).map(String.init)
            _ = try await tables[0].write(touching: ids) { transaction in
                for id in ids { try transaction.put(id, ["text": .string(text + id)]) }
            }
            for id in ids {
                let item = try await tables[0].read { try $0.item(id) }
                #expect(item?.members["text"]?.stringValue?.utf8.count == 1_200_001)
            }
            let stored = try await tables[0].ids()
            #expect(stored == ids)
        }
    }

    @Test func `are not harmed by one that PostgreSQL refuses`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            let results = try await together(
                stores, tables[0],
                (0..<10).map { number in
                    { table in
                        do {
                            try await table.put(number == 4 ? "a\0b" : "\(number)")
                        } catch let problem as Problem {
                            #expect(problem.status == .unprocessableContent)
                            throw Stop()
                        }
                    }
                })
            #expect(results == (0..<10).map { $0 != 4 })
            let ids = try await tables[0].ids()
            #expect(ids == (0..<10).filter { $0 != 4 }.map(String.init))
        }
    }

    @Test func `are not harmed by one whose row is damaged or whose statement is ended`()
        async throws
    {
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            try await tables[0].put("4")
            try await stores.sql {
                try $0.runAll(
                    """
                    UPDATE settle.items SET members = '[';
                    CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'query_canceled'; END $$;
                    CREATE TRIGGER at_seven BEFORE INSERT ON settle.items
                        FOR EACH ROW WHEN (NEW.id = '7') EXECUTE FUNCTION stop();
                    """)
            }
            let results = try await together(
                stores, tables[0],
                (0..<10).map { number in
                    { table in
                        do {
                            try await table.put("\(number)")
                        } catch let error as DatabaseError {
                            #expect(number == 4 && error.code == .corrupted)
                            throw Stop()
                        } catch let problem as Problem {
                            #expect(number == 7 && problem.status == .serviceUnavailable)
                            throw Stop()
                        }
                    }
                })
            #expect(results == (0..<10).map { $0 != 4 && $0 != 7 })
            let stored = try await stores.number("SELECT count(*) FROM settle.items")
            #expect(stored == 9)
        }
    }

    @Test func `are carried out again when their connection ends before the commit`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            let runs = Mutex(0)
            let (release, reached) = (
                DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self)
            )
            let write = Task {
                try await tables[0].write(touching: ["a"]) { transaction in
                    let run = runs.withLock { runs in
                        runs += 1
                        return runs
                    }
                    if run == 1 {
                        reached.continuation.finish()
                        release.wait()
                    }
                    try transaction.put("a", ["run": .integer(Int64(run))])
                }
            }
            for await _ in reached.stream {}
            try await stores.sql {
                _ = try $0.run(
                    """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                    WHERE datname = current_database() AND state = 'idle in transaction'
                    """)
            }
            release.signal()
            try await write.value
            let stored = try await tables[0].read { try $0.item("a")?.members }
            #expect(stored == ["run": 2])
        }
    }

    @Test func `whose commit had no answer say that it may be there`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            try await tables[0].put("a", ["n": 1])
            try await stores.sql {
                try $0.runAll(
                    """
                    CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
                    CREATE CONSTRAINT TRIGGER at_end AFTER UPDATE ON settle.items
                        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stop();
                    """)
            }
            let problem = await #expect(throws: Problem.self) {
                try await tables[0].put("a", ["n": 2])
            }
            #expect(problem?.status == .serviceUnavailable)
            #expect(problem?.message.contains("may or may not") == true)
            try await stores.sql { try $0.runAll("DROP TRIGGER at_end ON settle.items") }
            let stored = try await tables[0].read { try $0.item("a")?.members }
            #expect(stored == ["n": 1])
            try await tables[0].put("a", ["n": 3])
            let after = try await tables[0].read { try $0.item("a")?.members }
            #expect(after == ["n": 3])
        }
    }
}
