import SettlePQ
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Listener` {
    private static func notify(_ pool: PQPool, _ channel: String, _ payload: String) async throws {
        try await pool.perform {
            _ = try $0.run("SELECT pg_notify($1, $2)", .text(channel), .text(payload))
        }
    }

    @Test func `hears what others say on its channel`() async throws {
        let server = try await TestServer()
        try await server.withPool { pool in
            let listener = PQListener(endpoint: server.endpoint, channel: "News")
            var heard = listener.notifications.makeAsyncIterator()
            #expect(await heard.next() == .resumed)
            try await Self.notify(pool, "news", "another channel")
            for payload in ["a", "", "'; \u{e9} 漢"] { try await Self.notify(pool, "News", payload) }
            #expect(await heard.next() == .payload("a"))
            #expect(await heard.next() == .payload(""))
            #expect(await heard.next() == .payload("'; \u{e9} 漢"))
            listener.close()
            #expect(await heard.next() == nil)
        }
    }

    @Test func `hears nothing of a transaction that was undone`() async throws {
        struct Stop: Error {}
        let server = try await TestServer()
        try await server.withPool { pool in
            let listener = PQListener(endpoint: server.endpoint, channel: "news")
            var heard = listener.notifications.makeAsyncIterator()
            #expect(await heard.next() == .resumed)
            await #expect(throws: Stop.self) {
                try await pool.perform { connection in
                    try connection.transaction(.write) {
                        try connection.run("SELECT pg_notify('news', 'undone')")
                        throw Stop()
                    }
                }
            }
            try await Self.notify(pool, "news", "done")
            #expect(await heard.next() == .payload("done"))
            listener.close()
        }
    }

    @Test func `has a channel whose name is data`() async throws {
        let server = try await TestServer()
        let channel = "a\"; SELECT 1; --"
        try await server.withPool { pool in
            let listener = PQListener(endpoint: server.endpoint, channel: channel)
            var heard = listener.notifications.makeAsyncIterator()
            #expect(await heard.next() == .resumed)
            try await Self.notify(pool, channel, "x")
            #expect(await heard.next() == .payload("x"))
            listener.close()
        }
    }

    @Test func `listens again when its connection was ended, and says so`() async throws {
        let server = try await TestServer()
        try await server.withPool { pool in
            let listener = PQListener(endpoint: server.endpoint, channel: "news")
            var heard = listener.notifications.makeAsyncIterator()
            #expect(await heard.next() == .resumed)
            for round in 0..<3 {
                try await pool.perform {
                    _ = try $0.run(
                        """
                        SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE 'LISTEN%'
                        """)
                }
                #expect(await heard.next() == .resumed)
                try await Self.notify(pool, "news", "\(round)")
                #expect(await heard.next() == .payload("\(round)"))
            }
            listener.close()
        }
    }

    @Test func `ends without a server`() async throws {
        let endpoint = try PQEndpoint(url: "postgresql://nobody@127.0.0.1:1/none")
        let listener = PQListener(endpoint: endpoint, channel: "news")
        listener.close()
        var heard = listener.notifications.makeAsyncIterator()
        #expect(await heard.next() == nil)
    }
}
