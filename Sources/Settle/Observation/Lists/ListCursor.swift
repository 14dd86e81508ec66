/// A place among the first items of a list.
struct ListCursor<Value: Sendable> {
    private let blocks: [OrderedList<Value>.Block]
    private let end: Int
    private var block = 0
    private var index = 0
    /// How many items are before it.
    private(set) var position = 0

    /// The beginning of a list of which so many items count; nil for all.
    init(_ list: OrderedList<Value>, _ limit: Int?) {
        blocks = list.blocks
        end = min(list.count, limit ?? .max)
    }

    /// The item here; nil behind the last that counts.
    var item: OrderedList<Value>.Item? {
        position < end ? blocks[block].items[index] : nil
    }

    /// Moves behind the item here.
    mutating func passItem() {
        position += 1
        index += 1
        if index == blocks[block].items.count {
            block += 1
            index = 0
        }
    }

    /// Moves two cursors behind the blocks that come next in both lists.
    static func passShared(_ left: inout ListCursor, _ right: inout ListCursor) {
        while let block = left.wholeBlock, let other = right.wholeBlock, block === other {
            left.passBlock()
            right.passBlock()
        }
    }

    /// The block that begins here, if all of it counts.
    private var wholeBlock: OrderedList<Value>.Block? {
        guard index == 0, position < end, position + blocks[block].items.count <= end else {
            return nil
        }
        return blocks[block]
    }

    private mutating func passBlock() {
        position += blocks[block].items.count
        block += 1
    }
}
