import Foundation
import HTTPTypes
import Settle
import SettlePQ
import SettlePostgreSQL
import SettleServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Schema in PostgreSQL` {
    @Test func `is made by one of several that start at once`() async throws {
        let stores = try await PostgreSQLStores()
        let names = try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 0..<6 {
                group.addTask {
                    let store = try await stores.open()
                    // Some make the same table.
                    _ = try await store.table(TableName("t\(number / 2)"), isCreated: true)
                    let names = try await store.tableNames().map(\.text)
                    await store.close()
                    return names
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(names == ["t0", "t1", "t2"])
        let format = try await stores.number("SELECT value FROM settle.meta")
        #expect(format == 1)
    }

    @Test func `of a newer program is refused`() async throws {
        let stores = try await PostgreSQLStores()
        await (try stores.open()).close()
        try await stores.sql { try $0.runAll("UPDATE settle.meta SET value = 2") }
        let error = await #expect(throws: ServerError.self) { try await stores.open() }
        #expect(error?.code == .storeUnusable)
        #expect((error?.cause as? DatabaseError)?.code == .newerFormat)
        try await stores.sql { try $0.runAll("DELETE FROM settle.meta") }
        let other = await #expect(throws: ServerError.self) { try await stores.open() }
        #expect((other?.cause as? DatabaseError)?.code == .corrupted)
    }

    @Test func `is not made in a database of another encoding`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.sql {
            // It flushes many files, which takes long on a busy machine.
            try $0.runAll("SET statement_timeout = 0")
            try $0.runAll(
                "CREATE DATABASE latin ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        }
        let place = try #require(stores.url.range(of: "/test_"))
        let end = try #require(stores.url.firstIndex(of: "?"))
        let url = stores.url.replacingCharacters(in: place.lowerBound..<end, with: "/latin")
        let error = await #expect(throws: ServerError.self) {
            try await ServerStore.postgreSQL(url: url).open(
                ServerStore.Settings(tableCountMax: 1))
        }
        #expect((error?.cause as? DatabaseError)?.code == .notASettleDatabase)
        try await stores.sql {
            try $0.runAll("SET statement_timeout = 0")
            try $0.runAll("DROP DATABASE latin")
        }
    }

    @Test func `says at the start that there is no server`() async throws {
        let store = ServerStore.postgreSQL(
            url: "postgresql://nobody:hunter2@127.0.0.1:1/none?connect_timeout=2")
        let error = await #expect(throws: ServerError.self) {
            try await store.open(ServerStore.Settings(tableCountMax: 1))
        }
        #expect((error?.cause as? DatabaseError)?.code == .inputOutput)
        #expect(error?.message.contains("127.0.0.1") == true)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test func `holds as many tables as the server allows`() async throws {
        let stores = try await PostgreSQLStores()
        let store = try await stores.open(tableCountMax: 2)
        for name in ["b", "B"] {
            let table = try await store.table(TableName(name), isCreated: true)
            #expect(table?.name.text == name)
        }
        let problem = await #expect(throws: Problem.self) {
            try await store.table(TableName("c"), isCreated: true)
        }
        #expect(problem?.status == .forbidden)
        let missing = try await store.table(TableName("c"), isCreated: false)
        #expect(missing == nil)
        let names = try await store.tableNames().map(\.text)
        #expect(names == ["B", "b"])
        try await store.checkReadiness()
        await store.close()
        await #expect(throws: Problem.self) { try await store.checkReadiness() }
        await #expect(throws: Problem.self) {
            try await store.table(TableName("b"), isCreated: false)
        }
    }

    @Test func `finds a table that another process made`() async throws {
        let stores = try await PostgreSQLStores()
        let (first, second) = (try await stores.open(), try await stores.open())
        let before = try await second.table(TableName("notes"), isCreated: false)
        #expect(before == nil)
        try await first.table(TableName("notes"), isCreated: true)?.put("a")
        let ids = try await second.table(TableName("notes"), isCreated: false)?.ids()
        #expect(ids == ["a"])
        await first.close()
        await second.close()
    }
}
