import SettlePQ
import TestSupport

/// A new database and connections to it.
struct TestServer {
    let endpoint: PQEndpoint

    init(statementMilliseconds: Int = 60_000) async throws {
        let database = try await PostgreSQLCluster.makeDatabase()
        endpoint = try PQEndpoint(url: database.url, statementMilliseconds: statementMilliseconds)
    }

    /// Runs a body with a pool and closes it.
    func withPool<R>(
        size: Int = 2, _ body: (PQPool) async throws -> R
    ) async throws -> R {
        let pool = PQPool(endpoint: endpoint, size: size)
        do {
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }
}

extension PQPool {
    /// Ends connections of this pool's database from another one, as an administrator would.
    func terminate(_ processNumber: Int32) async throws {
        try await perform {
            _ = try $0.run(
                "SELECT pg_terminate_backend($1::bigint::integer, 10000)",
                .integer(Int64(processNumber)))
        }
    }

    /// Waits until a connection other than the one that asks runs a statement with some text.
    func waitForStatement(containing text: String) async throws {
        while true {
            let isThere = try await perform {
                try $0.run(
                    """
                    SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE state = 'active'
                        AND pid <> pg_backend_pid() AND datname = current_database()
                        AND position($1 in query) > 0)
                    """, .text(text)
                ).first?.bool(0)
            }
            if isThere == true { return }
            await Task.yield()
        }
    }
}
