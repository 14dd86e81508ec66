import Foundation
import SettlePQ
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Pool` {
    @Test func `serves many more callers than it has connections`() async throws {
        try await TestServer().withPool(size: 4) { pool in
            try await pool.perform { try $0.runAll("CREATE TABLE n (n bigint)") }
            let processes = try await withThrowingTaskGroup(of: Int32.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        try await pool.perform { connection in
                            try connection.transaction(.write) {
                                try connection.run(
                                    "INSERT INTO n VALUES ($1)", .integer(Int64(number)))
                            }
                            return connection.processNumber
                        }
                    }
                }
                return try await group.reduce(into: Set<Int32>()) { $0.insert($1) }
            }
            let sum = try await pool.perform {
                try $0.run("SELECT sum(n)::bigint FROM n")[0].integer(0)
            }
            #expect(sum == 79_800)
            #expect((1...4).contains(processes.count))
        }
    }

    @Test func `takes callers in the order in which they came`() async throws {
        try await TestServer().withPool(size: 1) { pool in
            let order = Order()
            let hold = Hold()
            let first = Task { try await pool.perform { _ in hold.wait() } }
            await hold.reached()
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<20 {
                let (entered, enter) = AsyncStream.makeStream(of: Void.self)
                tasks.append(
                    Task.immediate {
                        enter.finish()
                        try await pool.perform { _ in order.add(number) }
                    })
                for await _ in entered {}
            }
            hold.release()
            try await first.value
            for task in tasks { try await task.value }
            #expect(order.numbers == Array(0..<20))
        }
    }

    @Test func `lets go of a caller that is cancelled while it waits`() async throws {
        try await TestServer().withPool(size: 1) { pool in
            let hold = Hold()
            let first = Task { try await pool.perform { _ in hold.wait() } }
            await hold.reached()
            let second = Task { try await pool.perform { _ in Issue.record("It ran.") } }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            hold.release()
            try await first.value
        }
    }

    @Test func `ends the statement of a caller that is cancelled`() async throws {
        try await TestServer().withPool(size: 2) { pool in
            let task = Task {
                try await pool.perform { _ = try $0.run("SELECT pg_sleep(600) AS long_sleep") }
            }
            try await pool.waitForStatement(containing: "long_sleep")
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }

    @Test func `never cancels the statement of another caller`() async throws {
        try await TestServer().withPool(size: 1) { pool in
            for round in 0..<100 {
                let task = Task {
                    try await pool.perform { connection in
                        try connection.run("SELECT pg_sleep(0.0005)")
                        return 1
                    }
                }
                if round % 3 == 0 { await Task.yield() }
                task.cancel()
                let next = try await pool.perform { connection in
                    try connection.transaction(.write) {
                        try connection.run("SELECT $1", .integer(7))[0].integer(0)
                    }
                }
                #expect(next == 7)
                do {
                    let value = try await task.value
                    #expect(value == 1)
                } catch {
                    #expect(error is CancellationError)
                }
            }
        }
    }

    @Test func `heals after its connections were ended while nobody used them`() async throws {
        let server = try await TestServer()
        try await server.withPool(size: 1) { pool in
            try await server.withPool(size: 1) { administrator in
                for _ in 0..<3 {
                    let process = try await pool.perform { $0.processNumber }
                    try await administrator.terminate(process)
                    let next = try await pool.perform { connection in
                        try connection.run("SELECT 1")
                        return connection.processNumber
                    }
                    #expect(next != process)
                }
            }
        }
    }

    @Test func `heals after a connection was ended in a statement`() async throws {
        let server = try await TestServer()
        try await server.withPool(size: 1) { pool in
            try await server.withPool(size: 1) { administrator in
                let task = Task {
                    try await pool.perform {
                        _ = try $0.run("SELECT pg_sleep(600) AS victim, pg_backend_pid()")
                    }
                }
                try await administrator.waitForStatement(containing: "victim")
                try await administrator.perform {
                    _ = try $0.run(
                        """
                        SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                        WHERE pid <> pg_backend_pid() AND position('victim' in query) > 0
                        """)
                }
                let error = await #expect(throws: PQError.self) { try await task.value }
                #expect(error?.code == .connectionLost)
                let one = try await pool.perform { try $0.run("SELECT 1")[0].integer(0) }
                #expect(one == 1)
            }
        }
    }

    @Test func `does not hand on a transaction that was left open`() async throws {
        try await TestServer().withPool(size: 1) { pool in
            try await pool.perform {
                try $0.runAll("CREATE TABLE n (n bigint); BEGIN; INSERT INTO n VALUES (1)")
            }
            // It is another connection, as the first could not be used again.
            let error = await #expect(throws: PQError.self) {
                try await pool.perform { _ = try $0.run("SELECT n FROM n") }
            }
            #expect(error?.state == .undefinedTable)
        }
    }

    @Test func `says within its time that there is no server`() async throws {
        let endpoint = try PQEndpoint(url: "postgresql://nobody:hunter2@127.0.0.1:1/none")
        let pool = PQPool(endpoint: endpoint, size: 2, connectWait: .milliseconds(50))
        let error = await #expect(throws: PQError.self) { try await pool.perform { _ in } }
        #expect(error?.code == .cannotConnect)
        #expect(error?.description.contains("127.0.0.1") == true)
        #expect(error?.description.contains("hunter2") == false)
        await pool.close()
    }

    @Test func `does not try again for callers who waited while it was tried`() async throws {
        let server = try SilentServer()
        let endpoint = try PQEndpoint(
            url: "host=127.0.0.1 port=\(server.port) connect_timeout=3600 sslmode=disable "
                + "gssencmode=disable user=nobody dbname=none")
        let pool = PQPool(endpoint: endpoint, size: 1, connectWait: .zero)
        let first = Task { try await pool.perform { _ in } }
        var taken = server.takeConnection()
        while taken == nil {
            await Task.yield()
            taken = server.takeConnection()
        }
        var others: [Task<Void, any Error>] = []
        for _ in 0..<20 {
            let (entered, enter) = AsyncStream.makeStream(of: Void.self)
            others.append(
                Task.immediate {
                    enter.finish()
                    try await pool.perform { _ in }
                })
            for await _ in entered {}
        }
        if let taken { server.end(taken) }
        for task in [first] + others {
            let error = await #expect(throws: PQError.self) { try await task.value }
            #expect(error?.code == .cannotConnect)
        }
        #expect(server.takeConnection() == nil)
        // Who comes later is tried for.
        let later = Task { try await pool.perform { _ in } }
        var second = server.takeConnection()
        while second == nil {
            await Task.yield()
            second = server.takeConnection()
        }
        if let second { server.end(second) }
        await #expect(throws: PQError.self) { try await later.value }
        await pool.close()
    }

    @Test func `refuses callers once it is closed, after those it serves`() async throws {
        let pool = PQPool(endpoint: try await TestServer().endpoint, size: 1)
        let hold = Hold()
        let served = Task { try await pool.perform { _ in hold.wait() } }
        await hold.reached()
        let waiting = Task { try await pool.perform { _ in } }
        let closing = Task { await pool.close() }
        let refused = await #expect(throws: PQError.self) { try await waiting.value }
        #expect(refused?.code == .closed)
        hold.release()
        try await served.value
        await closing.value
        await pool.close()
        let late = await #expect(throws: PQError.self) { try await pool.perform { _ in } }
        #expect(late?.code == .closed)
    }
}
