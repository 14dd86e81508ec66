import Settle
import SettleOData
import SettlePQ
import SettleServer
import Testing

@testable import SettlePostgreSQL

@Suite(.timeLimit(.minutes(60))) struct `Large items in PostgreSQL` {
    /// How many bytes the text of a large item has.
    private static let large = 1 << 20
    /// Ids in the order of their bytes: forty large ones, and a hundred small ones between them.
    private static let ids = (0..<140).map { String($0 + 1_000) }

    private static func size(_ id: String) -> Int {
        (Int(id) ?? 0) % 7 < 2 ? large : 10
    }

    /// How many bytes the text of an item has.
    private static func size(_ item: TableItem?) -> Int? {
        item?.members["text"]?.stringValue?.utf8.count
    }

    /// Stores all of them, in some transactions.
    private func fill(_ table: any StoredTable) async throws {
        for start in stride(from: 0, to: Self.ids.count, by: 20) {
            let ids = Array(Self.ids[start..<start + 20])
            try await table.write(touching: ids) { transaction in
                for id in ids {
                    let text = String(repeating: "x", count: Self.size(id))
                    try transaction.put(id, ["text": .string(text), "n": 1])
                }
            }
        }
    }

    /// Runs a body in a transaction of its own, with the number of the only table.
    private func inTransaction(
        of stores: PostgreSQLStores, _ kind: PQTransactionKind,
        _ body: @escaping @Sendable (PQConnection, Int64) throws -> Void
    ) async throws {
        try await stores.sql { connection in
            try connection.transaction(kind) {
                let id = try connection.run("SELECT id FROM settle.tables")[0].integer(0)
                try body(connection, id)
            }
        }
    }

    @Test func `are listed whole and in order, page by page`() async throws {
        try await PostgreSQLStores().withTables { tables in
            try await fill(tables[0])
            for length in [9, 1_000] {
                var walked: [String] = []
                while true {
                    let last = walked.last
                    let page = try await tables[0].read { snapshot in
                        var page: [String] = []
                        try snapshot.forEachItem(after: last) { item in
                            #expect(Self.size(item) == Self.size(item.id))
                            page.append(item.id)
                            return page.count < length
                        }
                        return page
                    }
                    walked += page
                    if page.count < length { break }
                }
                #expect(walked == Self.ids)
            }
        }
    }

    @Test func `are read in the order of time`() async throws {
        try await PostgreSQLStores().withTables { tables in
            try await fill(tables[0])
            // From now on they are in another order than that of their ids.
            for id in [Self.ids[0], Self.ids[8]] {
                let text = String(repeating: "y", count: Self.size(id))
                try await tables[0].put(id, ["text": .string(text)], leaving: ["c"])
                try await tables[0].put(id, ["text": .string(text)])
            }
            let places = try await tables[0].read { snapshot in
                var places: [String] = []
                try snapshot.forEachEntry(in: 0 ... .max) { entry, item in
                    let read = try item()
                    #expect(read?.id == entry.id)
                    #expect(Self.size(read) == Self.size(entry.id))
                    places.append(entry.id)
                    return true
                }
                return places
            }
            let moved = [Self.ids[0], Self.ids[8]]
            // Each that moved has a mark and then itself.
            #expect(
                places == Self.ids.filter { !moved.contains($0) } + moved.flatMap { [$0, $0] })
        }
    }

    @Test func `are read when an index has found them`() async throws {
        try await PostgreSQLStores().withTables([[["n"]]]) { tables in
            try await fill(tables[0])
            let range = ODataKeyRange(lower: [2], upper: [2, 255])
            let found = try await tables[0].read { snapshot in
                let found = try snapshot.ids(at: ["n"], in: [range], countMax: 1_000) ?? []
                for id in found.sorted() + found {
                    let item = try snapshot.item(id)
                    #expect(Self.size(item) == Self.size(id))
                }
                return found
            }
            #expect(found.sorted() == Self.ids)
        }
    }

    @Test func `come in statements of a bounded size`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            try await fill(tables[0])
            try await inTransaction(of: stores, .read) { connection, tableId in
                let snapshot = PostgreSQLSnapshot(connection, tableId: tableId)
                let max = PostgreSQLSnapshot.bytesMax
                for count in [2, 8, 64, PostgreSQLSnapshot.rowCountMax] {
                    let rows = try snapshot.rows(after: "", countMax: count)
                    #expect(rows.count == min(count, Self.ids.count))
                    var bytes = 0
                    for index in 0..<rows.count where ItemRow.isWhole(rows[index]) {
                        bytes += try rows[index].text(1).utf8.count
                    }
                    #expect(bytes <= max)
                    let large = try LargeItems(in: rows)
                    let first = large.first(within: max)
                    #expect(first.reduce(0) { $0 + $1.bytes } <= max)
                    // Of items with somewhat more than 1 MiB.
                    if count >= 64 { #expect(first.count == 7) }
                }
                let reversed = Array(Self.ids.reversed())
                let batch = try snapshot.items(reversed + ["none"])
                #expect(batch.bytes <= max)
                #expect(batch.items.count == 101)
                let missing = batch.items.filter { $0.value == nil }.map(\.key)
                #expect(missing == [ItemKey("none")])
                let large = batch.large.first(within: .max).map(\.id)
                #expect(large == reversed.filter { Self.size($0) == Self.large })
                // One alone comes whole.
                let one = try snapshot.items([Self.ids[1]])
                #expect(one.bytes > Self.large && one.items.count == 1)
                let row = try snapshot.rows(after: Self.ids[0], countMax: 1)[0]
                #expect(ItemRow.isWhole(row))
            }
        }
    }

    @Test func `are read ahead of writes up to a bound`() async throws {
        let stores = try await PostgreSQLStores()
        try await stores.withTables { tables in
            try await fill(tables[0])
            try await inTransaction(of: stores, .write) { connection, tableId in
                let transaction = try PostgreSQLTransaction(locking: tableId, connection)
                let bytes = try transaction.read(Self.ids + ["none"] + Self.ids)
                #expect(bytes > PostgreSQLTransaction.aheadBytesMax / 2)
                #expect(bytes <= PostgreSQLTransaction.aheadBytesMax)
                for id in Self.ids {
                    let item = try transaction.item(id)
                    #expect(Self.size(item) == Self.size(id))
                }
                for id in ["none", "a\0b", ""] {
                    let item = try transaction.item(id)
                    #expect(item == nil)
                }
            }
        }
    }

    @Test func `are changed many at a time`() async throws {
        try await PostgreSQLStores().withTables([[["n"]]]) { tables in
            try await fill(tables[0])
            let ids = Self.ids + ["new"]
            try await tables[0].write(touching: ids) { transaction in
                for id in ids {
                    let before = try transaction.item(id)
                    #expect((before == nil) == (id == "new"))
                    try transaction.put(id, ["n": .integer(Int64(Self.size(before) ?? 0))])
                }
            }
            let sizes = try await tables[0].read { snapshot in
                try ids.map { try snapshot.item($0)?.members["n"] }
            }
            let expected = ids.map { id -> JSONValue? in
                .integer(id == "new" ? 0 : Int64(Self.size(id)))
            }
            #expect(sizes == expected)
        }
    }
}
