import TestSupport
import Testing

@Suite struct `PostgreSQL for tests` {
    @Test func `is installed where the project is checked`() {
        #if os(Linux)
            #expect(
                PostgreSQLCluster.isAvailable,
                "Install it: apt-get install -y postgresql libpq-dev")
        #endif
    }

    @Test(.timeLimit(.minutes(60)))
    func `gives each test a database of its own`() async throws {
        let first = try await PostgreSQLCluster.makeDatabase()
        let second = try await PostgreSQLCluster.makeDatabase()
        #expect(first.url != second.url)
        #expect(first.portURL != second.portURL)
    }
}
