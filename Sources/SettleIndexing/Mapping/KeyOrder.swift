import SettlePrimitives

/// Sorts the keys that a collector has interned by their collation keys.
struct KeyOrder {
    /// A key, and eight bytes of its collation key as a number that compares as they do.
    private struct Item {
        var word: UInt64
        var key: UInt32
    }

    /// Keys yet to be put in order that share so many bytes at their start.
    private struct Group {
        let items: Range<Int>
        let offset: Int
    }

    /// Fewer items than this are sorted by comparing them.
    private static let comparedCountMax = 24

    private var items: [Item]
    private var spare: [Item]

    /// The numbers of the keys, ascending by their collation keys; of equal ones in any order.
    ///
    /// Eight bytes are looked at at a time, and bytes that all have in common cost one pass, so keys
    /// with a long common start are no worse than others.
    /// Cost: O(n) for each eight bytes that a good many keys share.
    static func sorted(_ keys: [UInt32], of interned: borrowing InternedKeys) -> [UInt32] {
        var order = KeyOrder(
            items: keys.map { Item(word: 0, key: $0) },
            spare: Array(repeating: Item(word: 0, key: 0), count: keys.count))
        order.sort(interned)
        return order.items.map(\.key)
    }

    private mutating func sort(_ interned: borrowing InternedKeys) {
        var groups = [Group(items: items.indices, offset: 0)]
        while let group = groups.popLast() {
            guard group.items.count > Self.comparedCountMax else {
                sortByComparing(group, interned)
                continue
            }
            for index in group.items {
                items[index].word = Self.word(of: items[index].key, at: group.offset, interned)
            }
            sortByWords(group.items)
            var start = group.items.lowerBound
            for index in group.items where index > start {
                if items[index].word == items[start].word { continue }
                split(start..<index, after: group.offset, interned, into: &groups)
                start = index
            }
            split(start..<group.items.upperBound, after: group.offset, interned, into: &groups)
        }
    }

    /// Takes up items whose words are equal, unless the words were the end of the keys.
    private func split(
        _ range: Range<Int>, after offset: Int, _ interned: borrowing InternedKeys,
        into groups: inout [Group]
    ) {
        guard range.count > 1 else { return }
        // No collation key is the start of another: where one ends within the word, all do, and
        // they are equal.
        let length = interned.collationRange(Int(items[range.lowerBound].key)).count
        if length > offset + 8 { groups.append(Group(items: range, offset: offset + 8)) }
    }

    private mutating func sortByComparing(_ group: Group, _ interned: borrowing InternedKeys) {
        let bytes = interned.collation.storage.span
        for index in group.items.dropFirst() {
            let item = items[index]
            let range = interned.collationRange(Int(item.key))
            let key = bytes.extracting(range.lowerBound + group.offset..<range.upperBound)
            var place = index
            while place > group.items.lowerBound {
                let other = interned.collationRange(Int(items[place - 1].key))
                guard
                    key.precedes(
                        bytes.extracting(other.lowerBound + group.offset..<other.upperBound))
                else { break }
                items[place] = items[place - 1]
                place -= 1
            }
            items[place] = item
        }
    }

    /// Sorts by the words, a byte at a time from the last; bytes that are all alike are passed over.
    private mutating func sortByWords(_ range: Range<Int>) {
        var counts = [Int](repeating: 0, count: 8 * 256)
        for index in range {
            var word = items[index].word
            for place in 0..<8 {
                counts[place &* 256 &+ Int(word & 0xFF)] &+= 1
                word >>= 8
            }
        }
        for place in 0..<8 {
            let shift = UInt64(8 * place)
            let first = Int(items[range.lowerBound].word >> shift & 0xFF)
            if counts[256 * place + first] == range.count { continue }
            var start = range.lowerBound
            for digit in 256 * place..<256 * place + 256 {
                let count = counts[digit]
                counts[digit] = start
                start += count
            }
            for index in range {
                let item = items[index]
                let digit = 256 &* place &+ Int(item.word >> shift & 0xFF)
                spare[counts[digit]] = item
                counts[digit] &+= 1
            }
            for index in range { items[index] = spare[index] }
        }
    }

    private static func word(
        of key: UInt32, at offset: Int, _ interned: borrowing InternedKeys
    ) -> UInt64 {
        let range = interned.collationRange(Int(key))
        let start = range.lowerBound + offset
        let bytes = interned.collation.storage.span
        if start + 8 <= range.upperBound { return bytes.word(at: start).byteSwapped }
        var word: UInt64 = 0
        for index in start..<start + 8 {
            word = word << 8 | (index < range.upperBound ? UInt64(bytes[index]) : 0)
        }
        return word
    }
}
