import Foundation
import Settle
import SettlePQ
import SettlePostgreSQL
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

@Suite(.timeLimit(.minutes(60))) struct `Connections of a PostgreSQL store` {
    @Test func `keep readiness, uploads and other tables apart from writes`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables(named: "others") { others in
            let store = try await stores.openSmall()
            let opened = try await store.table(TableName("notes"), isCreated: true)
            let table = try #require(opened)
            let (release, writing, reading) = (
                DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self),
                AsyncStream.makeStream(of: Void.self)
            )
            let write = Task {
                try await table.write(touching: []) { _ in
                    writing.continuation.finish()
                    release.wait()
                }
            }
            for await _ in writing.stream {}
            // What refers to the row of the table comes past its lock.
            try await stores.sql {
                try $0.runAll("SELECT 1 FROM settle.tables FOR KEY SHARE NOWAIT")
            }
            let other = try await store.table(TableName("others"), isCreated: true)
            let data = Data("content".utf8)
            let digest = ContentDigest(of: Array(data)).description
            let attachment = try AttachmentDescription(
                name: "a",
                json: [
                    "content_type": "text/plain", "length": .integer(Int64(data.count)),
                    "digest": .string(digest),
                ])
            let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
            continuation.yield(data)
            continuation.finish()
            try await other?.hold(
                pieces, as: attachment.digest, for: ContentOwner(.unlimited),
                now: { Date(timeIntervalSince1970: 1_700_000_000) })
            let held = try await stores.number("SELECT count(*) FROM settle.holds")
            #expect(held == 1)
            let read = Task {
                try await table.read { _ in
                    reading.continuation.finish()
                    release.wait()
                }
            }
            for await _ in reading.stream {}
            try await store.checkReadiness()
            release.signal()
            release.signal()
            try await write.value
            try await read.value
            await store.close()
            #expect(others.count == 1)
        }
    }

    @Test func `to a standby, which takes no writes, make a store that is not ready`()
        async throws
    {
        let stores = try await PostgreSQLStores()
        let before = try await stores.openSmall()
        try await before.checkReadiness()
        await before.close()
        // What new sessions ask is answered as a standby would.
        try await stores.sql { connection in
            try connection.runAll(
                """
                CREATE SCHEMA stub;
                CREATE FUNCTION stub.pg_is_in_recovery() RETURNS boolean LANGUAGE sql
                AS 'SELECT true';
                DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = stub, pg_catalog',
                current_database()); END $$
                """)
        }
        let store = try await stores.openSmall()
        await #expect(throws: (any Error).self) { try await store.checkReadiness() }
        await store.close()
    }
}
