import Foundation
import SettlePostgreSQL
import TestSupport

@testable import SettleServer

/// A kind of store that servers of tests keep their tables in.
enum TestStore: String, Sendable, CaseIterable {
    case directory
    case postgreSQL

    /// The stores that tests run with: all, or the one that `SETTLE_TEST_STORE` names, to find out
    /// which of them a failure belongs to.
    static let all: [TestStore] = {
        let name = ProcessInfo.processInfo.environment["SETTLE_TEST_STORE"]
        return name.flatMap(TestStore.init).map { [$0] } ?? available
    }()

    /// On Linux a missing PostgreSQL is a failure; elsewhere it is left out.
    private static var available: [TestStore] {
        #if os(Linux)
            allCases
        #else
            PostgreSQLCluster.isAvailable ? allCases : [.directory]
        #endif
    }

    /// Hands out an empty store.
    func with<Value>(_ body: (ServerStore) async throws -> Value) async throws -> Value {
        switch self {
        case .directory:
            return try await withScratchDirectory("server") { scratch in
                try await body(.directory(scratch.url))
            }
        case .postgreSQL:
            let database = try await PostgreSQLCluster.makeDatabase()
            // Few connections each: many tests run at once.
            return try await body(
                .postgreSQL(
                    PostgreSQLConfiguration(
                        url: database.url, readerCount: 2, writerCount: 2)))
        }
    }
}
