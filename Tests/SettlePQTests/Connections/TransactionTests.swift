import SettlePQ
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Transactions` {
    private func withTable(
        _ body: (PQPool, PQEndpoint) async throws -> Void
    ) async throws {
        let server = try await TestServer()
        try await server.withPool { pool in
            try await pool.perform {
                try $0.runAll("CREATE TABLE n (id bigint PRIMARY KEY, n bigint)")
                try $0.run("INSERT INTO n SELECT unnest($1), 0", .integers([1, 2]))
            }
            try await body(pool, server.endpoint)
        }
    }

    private func sum(_ pool: PQPool) async throws -> Int64 {
        try await pool.perform { try $0.run("SELECT sum(n)::bigint FROM n")[0].integer(0) }
    }

    @Test func `that throw leave nothing`() async throws {
        struct Stop: Error {}
        try await withTable { pool, _ in
            await #expect(throws: Stop.self) {
                try await pool.perform { connection in
                    try connection.transaction(.write) {
                        try connection.run("UPDATE n SET n = 5")
                        throw Stop()
                    }
                }
            }
            let after = try await sum(pool)
            #expect(after == 0)
        }
    }

    @Test func `in which a failure was overlooked are not taken for stored`() async throws {
        try await withTable { pool, _ in
            await #expect(throws: PQError.self) {
                try await pool.perform { connection in
                    try connection.transaction(.write) {
                        try connection.run("UPDATE n SET n = 5")
                        _ = try? connection.run("SELECT 1 FROM nowhere")
                    }
                }
            }
            let after = try await sum(pool)
            #expect(after == 0)
        }
    }

    @Test func `that read see one state and write nothing`() async throws {
        try await withTable { pool, endpoint in
            let sums = try await pool.perform { [endpoint] connection in
                let other = try PQConnection(endpoint)
                return try connection.transaction(.read) {
                    var sums: [Int64] = []
                    for _ in 0..<2 {
                        sums.append(
                            try connection.run("SELECT sum(n)::bigint FROM n")[0].integer(0))
                        try other.run("UPDATE n SET n = n + 1")
                    }
                    return sums
                }
            }
            #expect(sums == [0, 0])
            let error = await #expect(throws: PQError.self) {
                try await pool.perform { connection in
                    try connection.transaction(.read) {
                        _ = try connection.run("UPDATE n SET n = 5")
                    }
                }
            }
            #expect(error?.state == SQLState("25006"))
        }
    }

    @Test func `that wait for each other are run again`() async throws {
        try await withTable { pool, _ in
            let gate = Gate()
            try await withThrowingTaskGroup { group in
                for order in [[Int64(1), 2], [2, 1]] {
                    group.addTask {
                        try await pool.perform { connection in
                            // Only the first time do both hold one row before they want the other.
                            var isFirst = true
                            try connection.transaction(.write) {
                                for (step, id) in order.enumerated() {
                                    if step == 1, isFirst {
                                        isFirst = false
                                        gate.meet()
                                    }
                                    try connection.run(
                                        "UPDATE n SET n = n + 1 WHERE id = $1", .integer(id))
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let after = try await sum(pool)
            #expect(after == 4)
        }
    }

    @Test func `that keep giving way end with the conflict`() async throws {
        try await withTable { pool, _ in
            let (error, runs) = try await pool.perform { connection in
                var runs = 0
                do {
                    try connection.transaction(.write) {
                        runs += 1
                        try connection.runAll(
                            "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$")
                    }
                    return (PQError?.none, runs)
                } catch let error as PQError {
                    return (error, runs)
                }
            }
            #expect(error?.state == .serializationFailure)
            #expect(error?.isConflict == true)
            #expect(runs == 5)
        }
    }

    @Test func `whose connection ends are undone and say so`() async throws {
        try await withTable { pool, _ in
            let error = await #expect(throws: PQError.self) {
                try await pool.perform { connection in
                    try connection.transaction(.write) {
                        try connection.run("UPDATE n SET n = 5")
                        try connection.run("SELECT pg_terminate_backend(pg_backend_pid())")
                    }
                }
            }
            #expect(error?.code == .connectionLost)
            let after = try await sum(pool)
            #expect(after == 0)
        }
    }

    @Test func `whose connection ends in their commit may be stored or not`() async throws {
        try await withTable { pool, _ in
            // A trigger that runs at the end ends the connection from inside COMMIT.
            try await pool.perform {
                try $0.runAll(
                    """
                    CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
                    CREATE CONSTRAINT TRIGGER at_end AFTER UPDATE ON n
                        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stop();
                    """)
            }
            let error = await #expect(throws: PQError.self) {
                try await pool.perform { connection in
                    try connection.transaction(.write) {
                        _ = try connection.run("UPDATE n SET n = 5 WHERE id = 1")
                    }
                }
            }
            #expect(error?.code == .commitUnknown)
            let after = try await sum(pool)
            #expect(after == 0)
        }
    }
}
