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

    /// True when the lists are equal.
    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && updated.isEmpty }

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
        var left = Cursor(old, limit)
        var right = Cursor(new, limit)
        while true {
            while let block = left.wholeBlock, let other = right.wholeBlock, block === other {
                left.passBlock()
                right.passBlock()
            }
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
                if old.precedes(before.key, after.key) {
                    removed.append((left.position, before.value))
                    left.passItem()
                } else if old.precedes(after.key, before.key) {
                    inserted.append((right.position, after.value))
                    right.passItem()
                } else {
                    if !isSame(before.value, after.value) {
                        updated.append((left.position, right.position))
                    }
                    left.passItem()
                    right.passItem()
                }
            }
        }
    }

    /// A place in a list.
    private struct Cursor {
        private let blocks: [OrderedList<Value>.Block]
        private let end: Int
        private var block = 0
        private var index = 0
        private(set) var position = 0

        init(_ list: OrderedList<Value>, _ limit: Int?) {
            blocks = list.blocks
            end = min(list.count, limit ?? .max)
        }

        var item: OrderedList<Value>.Item? {
            position < end ? blocks[block].items[index] : nil
        }

        /// The block that begins here, if all of it counts.
        var wholeBlock: OrderedList<Value>.Block? {
            guard index == 0, position < end, position + blocks[block].items.count <= end else {
                return nil
            }
            return blocks[block]
        }

        mutating func passBlock() {
            position += blocks[block].items.count
            block += 1
        }

        mutating func passItem() {
            position += 1
            index += 1
            if index == blocks[block].items.count {
                block += 1
                index = 0
            }
        }
    }
}
