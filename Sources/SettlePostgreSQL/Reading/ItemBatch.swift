import SettleServer

/// What was found out about some items at once.
struct ItemBatch {
    /// An entry for each id that was looked up and is not of a large item; nil for those that are
    /// not there.
    var items: [ItemKey: TableItem?] = [:]
    /// The items that are there and were not read yet.
    var large = LargeItems()
    /// How many bytes the texts of `items` have.
    var bytes = 0

    /// An item that was looked up; a large one is read now.
    ///
    /// - Returns: The item, or a nil in it when there is none of that id; nil when it was not looked
    ///   up.
    /// - Throws: ``DatabaseError`` with `corrupted` when a row is damaged; ``PQError``.
    mutating func item(_ key: ItemKey, from snapshot: PostgreSQLSnapshot) throws -> TableItem?? {
        if let item = items[key] { return .some(item) }
        guard large.contains(key) else { return nil }
        return try .some(large.item(key, from: snapshot))
    }
}
