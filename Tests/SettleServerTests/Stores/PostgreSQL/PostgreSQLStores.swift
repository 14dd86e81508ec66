import Foundation
import Settle
import SettleOData
import SettlePQ
import SettlePostgreSQL
import SettleServer
import SettleTableProtocol
import TestSupport

/// A new database, and stores over it as several server processes have them.
struct PostgreSQLStores {
    let url: String
    private let endpoint: PQEndpoint

    init() async throws {
        url = try await PostgreSQLCluster.makeDatabase().url
        endpoint = try PQEndpoint(url: url)
    }

    /// Opens a store with connections of its own.
    func open(
        tableCountMax: Int = 100, indexes: [[String]] = []
    ) async throws -> any TableStore {
        try await ServerStore.postgreSQL(
            // Patient: while much else runs, a statement may take long.
            PostgreSQLConfiguration(url: url, statementMilliseconds: 3_600_000)
        ).open(
            ServerStore.Settings(tableCountMax: tableCountMax, indexes: { _ in indexes }))
    }

    /// Opens a store that reads and writes with one connection each.
    func openSmall() async throws -> any TableStore {
        try await ServerStore.postgreSQL(
            // Patient: a test may wait inside a transaction while much else runs.
            PostgreSQLConfiguration(
                url: url, readerCount: 1, writerCount: 1, statementMilliseconds: 3_600_000)
        ).open(ServerStore.Settings(tableCountMax: 100))
    }

    /// Opens as many stores as there are sets of indexes, runs a body with one table of each, and
    /// closes them.
    func withTables(
        _ indexes: [[[String]]] = [[]], named name: String = "notes",
        _ body: ([any StoredTable]) async throws -> Void
    ) async throws {
        var stores: [any TableStore] = []
        var tables: [any StoredTable] = []
        let failure: (any Error)?
        do {
            for paths in indexes {
                let store = try await open(indexes: paths)
                stores.append(store)
                guard let table = try await store.table(TableName(name), isCreated: true) else {
                    throw Missing()
                }
                tables.append(table)
            }
            try await body(tables)
            failure = nil
        } catch {
            failure = error
        }
        for store in stores { await store.close() }
        if let failure { throw failure }
    }

    /// Runs statements as an administrator would.
    func sql<R: Sendable>(
        _ body: @escaping @Sendable (PQConnection) throws -> R
    ) async throws -> R {
        let pool = PQPool(endpoint: endpoint, size: 1)
        do {
            let value = try await pool.perform(body)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }

    /// A number that a statement gives.
    func number(_ statement: StaticString) async throws -> Int64 {
        try await sql { try $0.run(statement)[0].integer(0) }
    }

    /// What a test expected to be there is not.
    struct Missing: Error {}
}

extension TableTransaction {
    /// Saves an item with the next time, over what there is.
    @discardableResult
    func put(
        _ id: String, _ members: [String: JSONValue] = [:], isDeleted: Bool = false,
        attachments: [AttachmentDescription] = [], leaving channels: [String] = []
    ) throws -> TableItem {
        let previous = try item(id)
        let time = try nextTime(now: Date(timeIntervalSince1970: 1_700_000_000))
        var left = previous?.removals.times ?? [:]
        for channel in channels { left[channel] = time }
        let removals =
            ChannelRemovals(.object(left.mapValues { .integer($0) })) ?? ChannelRemovals()
        return try save(
            TableItem(
                id: id, members: ItemMembers(members),
                createdAt: previous?.createdAt ?? Instant(microseconds: time),
                updatedAt: Instant(microseconds: time), version: "", isDeleted: isDeleted,
                attachments: attachments, removals: removals), over: previous)
    }
}

extension StoredTable {
    /// Saves an item in a write of its own.
    @discardableResult
    func put(
        _ id: String, _ members: [String: JSONValue] = [:],
        attachments: [AttachmentDescription] = [], leaving channels: [String] = []
    ) async throws -> TableItem {
        try await write(touching: [id]) {
            try $0.put(id, members, attachments: attachments, leaving: channels)
        }
    }

    /// The ids of all items, in the order of their bytes.
    func ids() async throws -> [String] {
        try await read { snapshot in
            var ids: [String] = []
            try snapshot.forEachItem(after: nil) {
                ids.append($0.id)
                return true
            }
            return ids
        }
    }

    /// All places of the timeline from a time on.
    func entries(from time: Int64 = 0) async throws -> [TimelineEntry] {
        try await read { snapshot in
            var entries: [TimelineEntry] = []
            try snapshot.forEachEntry(in: time ... .max) { entry, _ in
                entries.append(entry)
                return true
            }
            return entries
        }
    }
}
