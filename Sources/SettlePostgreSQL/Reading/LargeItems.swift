import SettlePQ
import SettleServer

/// Items with too much in them to be read together with many others, each known by its size.
///
/// They are read some at a time, in the order in which they were added, so that no statement brings
/// much more than ``PostgreSQLSnapshot/bytesMax``.
struct LargeItems {
    /// One item, and how many bytes its texts have.
    struct Entry: Equatable {
        var id: String
        var bytes: Int
    }

    private var entries: [Entry] = []
    private var places: [ItemKey: Int] = [:]
    /// What the last statement brought.
    private var read: [ItemKey: TableItem?] = [:]

    init() {}

    /// The items of rows that came without their texts.
    ///
    /// - Throws: ``PQError`` when the columns have other types.
    init(in rows: PQResult) throws {
        for index in 0..<rows.count where !ItemRow.isWhole(rows[index]) {
            let row = rows[index]
            add(Entry(id: try row.text(0), bytes: try ItemRow.bytes(row)))
        }
    }

    /// Puts an item behind the others.
    mutating func add(_ entry: Entry) {
        places[ItemKey(entry.id)] = entries.count
        entries.append(entry)
    }

    /// Whether an item is one of these.
    func contains(_ key: ItemKey) -> Bool { places[key] != nil }

    /// The first items from a place on that have no more than some bytes together.
    func first(from place: Int = 0, within bytesMax: Int) -> ArraySlice<Entry> {
        var bytes = 0
        return entries[place...].prefix { entry in
            bytes += entry.bytes
            return bytes <= bytesMax
        }
    }

    /// One of these items, read with those behind it that fit.
    ///
    /// - Returns: The item; nil when it is none of these, or is not there any more.
    /// - Throws: ``DatabaseError`` with `corrupted` when a row is damaged; ``PQError``.
    /// - Complexity: At most one statement, which brings no more than
    ///   ``PostgreSQLSnapshot/bytesMax``, or the item alone.
    mutating func item(_ key: ItemKey, from snapshot: PostgreSQLSnapshot) throws -> TableItem? {
        if let item = read[key] { return item }
        guard let place = places[key] else { return nil }
        let fitting = first(from: place, within: PostgreSQLSnapshot.bytesMax)
        read = [:]
        read = try snapshot.wholeItems(
            fitting.isEmpty ? [entries[place].id] : fitting.map(\.id))
        return read[key] ?? nil
    }
}
