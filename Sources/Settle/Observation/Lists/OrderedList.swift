import SettleIndexing

/// Items in the order of their keys, each key once; copies share what they have in common.
///
/// The items lie in blocks that are never changed, so that a change makes one block anew, and a
/// list and the one before it can be compared block by block.
struct OrderedList<Value: Sendable>: Sendable {
    /// A value and its place.
    struct Item: Sendable {
        let key: RowPosition
        let value: Value
    }

    /// Neighbouring items; never empty.
    final class Block: Sendable {
        let items: [Item]

        init(_ items: [Item]) {
            self.items = items
        }
    }

    private(set) var blocks: [Block] = []
    /// The number of items.
    private(set) var count = 0
    /// True when the bytes of keys descend within a segment.
    let isDescending: Bool

    /// The most items of a block.
    ///
    /// A change copies one block and the list of all blocks; with three counted references an item
    /// and one a block, both cost the same at some 12,000 items.
    static var blockCountMax: Int { 64 }

    init(isDescending: Bool) {
        self.isDescending = isDescending
    }

    /// The first item.
    var first: Item? { blocks.first?.items.first }

    /// The last item.
    var last: Item? { blocks.last?.items.last }

    /// Adds an item behind all others.
    ///
    /// - Precondition: Its key is behind theirs.
    mutating func append(_ items: some Sequence<Item>) {
        var room: [Item] = []
        if let last = blocks.last, last.items.count < Self.blockCountMax {
            room = last.items
            blocks.removeLast()
        }
        for item in items {
            precondition(
                (room.last ?? blocks.last?.items.last).map { precedes($0.key, item.key) } ?? true,
                "An item is appended out of order.")
            if room.count == Self.blockCountMax {
                blocks.append(Block(room))
                room = []
            }
            room.append(item)
            count += 1
        }
        if !room.isEmpty { blocks.append(Block(room)) }
    }

    /// The key of the item at a position; nil behind the last.
    ///
    /// - Complexity: O(number of blocks before it).
    func key(at position: Int) -> RowPosition? {
        var rest = position
        for block in blocks {
            if rest < block.items.count { return block.items[rest].key }
            rest -= block.items.count
        }
        return nil
    }

    /// The value of a key.
    func value(for key: RowPosition) -> Value? {
        guard let block = block(for: key) else { return nil }
        let items = blocks[block].items
        let index = place(of: key, in: items)
        return index < items.count && items[index].key == key ? items[index].value : nil
    }

    /// Sets the value of a key, or removes the key.
    ///
    /// - Complexity: O(number of blocks + items of a block).
    mutating func set(_ value: Value?, for key: RowPosition) {
        guard let number = block(for: key) else {
            if let value { append(CollectionOfOne(Item(key: key, value: value))) }
            return
        }
        var items = blocks[number].items
        let index = place(of: key, in: items)
        let isThere = index < items.count && items[index].key == key
        switch (value, isThere) {
        case (let value?, true):
            items[index] = Item(key: key, value: value)
        case (let value?, false):
            items.insert(Item(key: key, value: value), at: index)
            count += 1
        case (nil, true):
            items.remove(at: index)
            count -= 1
        case (nil, false):
            return
        }
        replace(number, with: items)
    }

    /// Removes items from the end until no more than this many are left.
    mutating func truncate(to limit: Int) {
        while count > limit, let last = blocks.popLast() {
            count -= last.items.count
            if count < limit {
                let kept = Array(last.items.prefix(limit - count))
                blocks.append(Block(kept))
                count += kept.count
            }
        }
    }

    private mutating func replace(_ number: Int, with items: [Item]) {
        switch items.count {
        case 0:
            blocks.remove(at: number)
        case ...Self.blockCountMax:
            blocks[number] = Block(items)
        default:
            let middle = items.count / 2
            blocks.replaceSubrange(
                number...number,
                with: [Block(Array(items[..<middle])), Block(Array(items[middle...]))])
        }
    }

    /// The block that has a key or would get it; nil in an empty list.
    private func block(for key: RowPosition) -> Int? {
        // The last block that does not begin behind the key.
        var low = 0
        var high = blocks.count
        while low < high {
            let middle = (low + high) / 2
            if let first = blocks[middle].items.first, precedes(key, first.key) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return blocks.isEmpty ? nil : Swift.max(0, low - 1)
    }

    /// The first index whose key does not come before this one.
    private func place(of key: RowPosition, in items: [Item]) -> Int {
        var low = 0
        var high = items.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(items[middle].key, key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Whether one key comes before another in this list.
    func precedes(_ left: RowPosition, _ right: RowPosition) -> Bool {
        left.precedes(right, isDescending: isDescending)
    }
}

extension OrderedList: Sequence {
    /// The items, in order.
    func makeIterator() -> some IteratorProtocol<Item> {
        blocks.lazy.flatMap(\.items).makeIterator()
    }
}
