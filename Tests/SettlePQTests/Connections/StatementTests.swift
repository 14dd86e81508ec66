import SettlePQ
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Statements` {
    @Test func `take everything in a parameter as data`() async throws {
        let names = [
            "'; DROP TABLE people; --", "$1", "x'||(SELECT 1)||'", "\"; DELETE FROM people",
            "\\'; DELETE FROM people; --", "*/ DELETE FROM people /*", "%", "_", "NULL",
        ]
        try await TestServer().withPool { pool in
            let found = try await pool.perform { connection in
                try connection.runAll("CREATE TABLE people (name text PRIMARY KEY, data bytea)")
                for name in names {
                    try connection.run(
                        "INSERT INTO people VALUES ($1, $2)", .text(name), .bytes(Array(name.utf8)))
                }
                return try names.map { name in
                    let result = try connection.run(
                        "SELECT name, data FROM people WHERE name = $1", .text(name))
                    #expect(result.count == 1)
                    let data = try result[0].bytes(1)
                    #expect(data == Array(name.utf8))
                    return try result[0].text(0)
                }
            }
            #expect(found == names)
        }
    }

    @Test func `tell how many rows they changed`() async throws {
        try await TestServer().withPool { pool in
            let counts = try await pool.perform { connection in
                try connection.runAll("CREATE TABLE n (n bigint)")
                return [
                    try connection.run(
                        "INSERT INTO n SELECT unnest($1)", .integers([1, 2, 3])
                    ).changedCount,
                    try connection.run("UPDATE n SET n = n + 1 WHERE n > $1", .integer(1))
                        .changedCount,
                    try connection.run("DELETE FROM n").changedCount,
                ]
            }
            #expect(counts == [3, 2, 3])
        }
    }

    @Test func `that fail say why`() async throws {
        try await TestServer().withPool { pool in
            func state(
                _ body: @escaping @Sendable (PQConnection) throws -> Void
            ) async -> SQLState? {
                let error = await #expect(throws: PQError.self) { try await pool.perform(body) }
                #expect(error?.code == .statement)
                #expect(error?.severity == "ERROR")
                return error?.state
            }
            #expect(await state { _ = try $0.run("SELECT 1 FROM nowhere") } == .undefinedTable)
            #expect(await state { _ = try $0.run("SELEKT 1") } == SQLState("42601"))
            let division = await state { _ = try $0.run("SELECT 1 / $1", .integer(0)) }
            #expect(division == SQLState("22012"))
            #expect(await state { _ = try $0.run("SELECT $1", .text("\0")) } == SQLState("22021"))
            try await pool.perform { try $0.runAll("CREATE TABLE one (n bigint PRIMARY KEY)") }
            let twice = await state { connection in
                for _ in 0..<2 { try connection.run("INSERT INTO one VALUES ($1)", .integer(7)) }
            }
            #expect(twice == .uniqueViolation)
            // The connection is as good as before.
            let count = try await pool.perform {
                try $0.run("SELECT count(*) FROM one").first?.integer(0)
            }
            #expect(count == 1)
        }
    }

    @Test func `that fail do not repeat values`() async throws {
        try await TestServer().withPool { pool in
            try await pool.perform {
                try $0.runAll("CREATE TABLE secrets (secret text PRIMARY KEY)")
            }
            let twice = await #expect(throws: PQError.self) {
                try await pool.perform { connection in
                    for _ in 0..<2 {
                        try connection.run("INSERT INTO secrets VALUES ($1)", .text("hunter2"))
                    }
                }
            }
            let noNumber = await #expect(throws: PQError.self) {
                try await pool.perform { _ = try $0.run("SELECT $1::bigint", .text("hunter2")) }
            }
            #expect(twice?.description.contains("secrets_pkey") == true)
            #expect(twice?.description.contains("23505") == true)
            #expect(noNumber?.description.contains("22P02") == true)
            for error in [twice, noNumber] {
                #expect(error?.description.contains("hunter2") == false)
            }
        }
    }

    @Test func `are ended when they take too long`() async throws {
        try await TestServer(statementMilliseconds: 50).withPool { pool in
            let error = await #expect(throws: PQError.self) {
                try await pool.perform { _ = try $0.run("SELECT pg_sleep(600)") }
            }
            #expect(error?.state == .queryCanceled)
        }
    }

    @Test func `run in sessions with the settings that were given`() async throws {
        var endpoint = try await TestServer().endpoint
        endpoint.settings = ["plan_cache_mode": "force_custom_plan", "statement_timeout": "7s"]
        let pool = PQPool(endpoint: endpoint, size: 1)
        let found = try await pool.perform { connection in
            let row = try connection.run(
                """
                SELECT current_setting('plan_cache_mode'), current_setting('statement_timeout'),
                    current_setting('client_encoding'), current_setting('application_name')
                """)[0]
            return try (0..<4).map { try row.text($0) }
        }
        await pool.close()
        #expect(found == ["force_custom_plan", "7s", "UTF8", "settle"])
    }

    @Test func `with more than a message takes are refused before they are sent`() async throws {
        // One array, a thousand times: what would be sent is 1 GiB, or 2 GiB and more.
        let megabyte = [UInt8](repeating: 7, count: 1 << 20)
        try await TestServer().withPool(size: 1) { pool in
            for count in [1_024, 2_048, 4_097] {
                let values = [[UInt8]?](repeating: megabyte, count: count)
                let processes = try await pool.perform { connection in
                    let error = #expect(throws: PQError.self) {
                        _ = try connection.run(
                            "SELECT cardinality($1::bytea[])", .byteStrings(values))
                    }
                    #expect(error?.code == .statement)
                    #expect(error?.state == .programLimitExceeded)
                    // The connection is as good as before.
                    let number = try connection.run("SELECT pg_backend_pid()")[0].integer(0)
                    return [number, Int64(connection.processNumber)]
                }
                #expect(processes[0] == processes[1])
            }
        }
    }

    @Test func `stay usable when more are prepared than are kept`() async throws {
        try await TestServer().withPool(size: 1) { pool in
            let sum = try await pool.perform { connection in
                var sum: Int64 = 0
                // One statement with lists of types of its own each time is another statement.
                for bits in 0..<300 {
                    let values = (0..<9).map { place in
                        bits & (1 << place) == 0 ? PQValue.integer(1) : .null
                    }
                    sum += try connection.run(
                        """
                        SELECT coalesce($1::bigint, 0) + coalesce($2::bigint, 0)
                            + coalesce($3::bigint, 0) + coalesce($4::bigint, 0)
                            + coalesce($5::bigint, 0) + coalesce($6::bigint, 0)
                            + coalesce($7::bigint, 0) + coalesce($8::bigint, 0)
                            + coalesce($9::bigint, 0)
                        """, values)[0].integer(0)
                }
                return sum
            }
            #expect(sum == (0..<300).reduce(0) { $0 + 9 - Int64($1.nonzeroBitCount) })
        }
    }

    @Test(arguments: ["postgresql://a:b@[::1/x", "nonsense", "host='x", "postgresql://h/d?no=1"])
    func `need an address that can be read`(url: String) {
        let error = #expect(throws: PQError.self) { try PQEndpoint(url: url) }
        #expect(error?.code == .badConnectionString)
        #expect(error?.description.contains(url) == false)
    }
}
