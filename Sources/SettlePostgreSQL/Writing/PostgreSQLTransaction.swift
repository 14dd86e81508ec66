import Foundation
import SettleOData
import SettlePQ
import SettleServer

/// A table under its lock, which the writes that came together change one after the other.
///
/// What they change is kept here and sent at the end, in a few statements for all of them. The lock
/// on the table's row is held until the commit: nobody else changes the table meanwhile, and the
/// order of the times that are given is the order of the commits.
final class PostgreSQLTransaction: PostgreSQLSnapshot, TableTransaction {
    private let definitions: IndexDefinitions
    /// The last time that was given, by others and by the writes that are done.
    private(set) var timeDone: Int64
    /// The last time that was given, by the write that runs, too.
    private var time: Int64
    /// Items as they lie in the database, with what was sent; nil for those that are not there.
    ///
    /// Those that were not looked up yet have no entry.
    private var known: [ItemKey: TableItem?] = [:]
    /// What the writes that are done have changed and was not sent.
    private var done = ItemChanges()
    /// What the write that runs has changed and was not sent.
    private var running = ItemChanges()
    /// The items that the write that runs has changed and that were sent, after a savepoint; nil
    /// when there was no need to.
    private var sent: Set<ItemKey>?
    private(set) var hasChanged = false

    /// Locks a table, waiting for others who write to it.
    ///
    /// - Throws: ``StoreFailure/tableGone`` when the table's row is gone; ``PQError``.
    init(locking tableId: Int64, _ connection: PQConnection) throws {
        // Not FOR UPDATE, for which rows that come with a reference to the table would wait, too.
        let row = try connection.run(
            """
            SELECT last_updated_at, indexes FROM settle.tables WHERE id = $1
            FOR NO KEY UPDATE
            """, .integer(tableId)
        ).first
        guard let row else { throw StoreFailure.tableGone }
        timeDone = try row.integer(0)
        time = timeDone
        definitions = try IndexDefinitions(try row.text(1))
        super.init(connection, tableId: tableId)
    }

    /// How many bytes the texts of the items have that are read ahead, about.
    static let aheadBytesMax = 16 << 20

    /// Reads items that writes will look at, until they have ``aheadBytesMax`` together.
    ///
    /// The others are read by ``item(_:)`` when they are asked for.
    ///
    /// - Returns: How many bytes the texts of the items have that were read.
    /// - Throws: ``DatabaseError`` with `corrupted` when a row is damaged; ``PQError``.
    @discardableResult
    func read(_ ids: [String]) throws -> Int {
        // After the lock, in statements of their own: one that waits for the lock sees the rows as
        // they were before it waited.
        var bytes = 0
        var rest = ids[...]
        while !rest.isEmpty, bytes < Self.aheadBytesMax {
            let batch = try items(Array(rest.prefix(Self.rowCountMax)))
            known.merge(batch.items) { $1 }
            bytes += batch.bytes
            let large = batch.large.first(within: Self.aheadBytesMax - bytes)
            if !large.isEmpty {
                known.merge(try wholeItems(large.map(\.id))) { $1 }
                bytes += large.reduce(0) { $0 + $1.bytes }
            }
            rest = rest.dropFirst(Self.rowCountMax)
        }
        return bytes
    }

    /// Runs a write; one that throws leaves no trace.
    ///
    /// - Throws: What `body` throws; then the others can go on, unless it is a ``PQError``.
    func perform<Value>(_ body: (any TableTransaction) throws -> Value) throws -> Value {
        do {
            let value = try body(self)
            if sent != nil { try connection.run("RELEASE SAVEPOINT settle_write") }
            sent = nil
            done.merge(running)
            running = ItemChanges()
            timeDone = time
            return value
        } catch {
            if let sent {
                // After an error of PostgreSQL the whole transaction is given up.
                if error is PQError { throw error }
                try connection.run("ROLLBACK TO SAVEPOINT settle_write")
                for key in sent { known[key] = nil }
            }
            sent = nil
            running = ItemChanges()
            time = timeDone
            throw error
        }
    }

    /// Sends what all writes have changed.
    ///
    /// - Returns: Whether anything was changed.
    func finish(table name: TableName) throws -> Bool {
        try send(&done)
        guard hasChanged else { return false }
        try connection.run(
            """
            WITH clock AS (UPDATE settle.tables SET last_updated_at = $2 WHERE id = $1)
            SELECT pg_notify('settle_changes', $3)
            """, .integer(tableId), .integer(timeDone), .text(name.text))
        return true
    }

    override func item(_ id: String) throws -> TableItem? {
        let key = ItemKey(id)
        if let item = running.item(key) ?? done.item(key) { return item }
        if let item = known[key] { return item }
        // One alone is read however large it is.
        known.merge(try items([id]).items) { $1 }
        return known[key] ?? nil
    }

    override func lastTime() throws -> Int64 { time }

    override func indexes() throws -> IndexDefinitions { definitions }

    func nextTime(now: Date) throws -> Int64 {
        time = max(TableClock.microseconds(of: now), time + 1)
        return time
    }

    func save(_ item: TableItem, over previous: TableItem?) throws -> TableItem {
        var item = item
        if item.version.isEmpty { item.version = Self.version(at: item.updatedAt.microseconds) }
        time = max(time, item.updatedAt.microseconds)
        running.save(item, over: done.item(ItemKey(item.id)) ?? previous)
        return item
    }

    override func sendChanges() throws {
        try send(&done)
        guard !running.isEmpty else { return }
        if sent == nil {
            try connection.run("SAVEPOINT settle_write")
            sent = []
        }
        sent?.formUnion(running.keys)
        try send(&running)
    }

    private func send(_ changes: inout ItemChanges) throws {
        guard !changes.isEmpty else { return }
        try changes.send(to: connection, tableId: tableId, indexes: definitions)
        for item in changes.items { known[ItemKey(item.id)] = item }
        changes = ItemChanges()
        hasChanged = true
    }

    /// A version that the item never had: no two writes of a table have one time, and should a
    /// backup be restored and times come again, chance keeps them apart.
    private static func version(at time: Int64) -> String {
        func digits(_ number: UInt64, _ count: Int) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(UInt64(bitPattern: time), 14) + "-"
            + digits(UInt64(UInt32.random(in: .min ... .max)), 8)
    }
}
