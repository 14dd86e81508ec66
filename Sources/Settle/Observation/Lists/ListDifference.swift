import SettleIndexing

/// How the first items of one list differ from those of another.
///
/// Blocks that both lists share are passed over, so the cost follows from what has changed.
struct ListDifference<Value: Sendable> {
    /// Items that are only in the old list, by their positions there, ascending.
    private(set) var removed: [(position: Int, value: Value)] = []
    /// Items that are only in the new list, by their positions there, ascending.
    private(set) var inserted: [(position: Int, value: Value)] = []
    /// Items whose values differ, by their positions in the old and in the new list.
    private(set) var updated: [(old: Int, new: Int)] = []

    /// Compares two lists that are ordered alike.
    ///
    /// - Parameters:
    ///   - old: One list.
    ///   - new: The other.
    ///   - limit: How many items count, from the front; nil for all.
    ///   - isSame: Whether two values are equal.
    init(
        from old: OrderedList<Value>, to new: OrderedList<Value>, limit: Int?,
        isSame: (Value, Value) -> Bool
    ) {
        var left = ListCursor(old, limit)
        var right = ListCursor(new, limit)
        while true {
            ListCursor.passShared(&left, &right)
            switch (left.item, right.item) {
            case (nil, nil):
                return
            case (let item?, nil):
                removed.append((left.position, item.value))
                left.passItem()
            case (nil, let item?):
                inserted.append((right.position, item.value))
                right.passItem()
            case (let before?, let after?):
                // Most keys of a block that was made anew are those of before, in the same memory.
                if before.key == after.key {
                    if !isSame(before.value, after.value) {
                        updated.append((left.position, right.position))
                    }
                    left.passItem()
                    right.passItem()
                } else if old.precedes(before.key, after.key) {
                    removed.append((left.position, before.value))
                    left.passItem()
                } else {
                    inserted.append((right.position, after.value))
                    right.passItem()
                }
            }
        }
    }

    /// Whether two lists that are ordered alike have the same first items.
    ///
    /// Looks no further than the first difference; otherwise as the initializer.
    static func isNone(
        from old: OrderedList<Value>, to new: OrderedList<Value>, limit: Int?,
        isSame: (Value, Value) -> Bool
    ) -> Bool {
        var left = ListCursor(old, limit)
        var right = ListCursor(new, limit)
        while true {
            ListCursor.passShared(&left, &right)
            guard let before = left.item, let after = right.item else {
                return left.item == nil && right.item == nil
            }
            guard before.key == after.key, isSame(before.value, after.value) else {
                return false
            }
            left.passItem()
            right.passItem()
        }
    }
}
