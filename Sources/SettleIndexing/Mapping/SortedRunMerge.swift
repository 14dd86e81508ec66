import SettlePrimitives

/// Merges runs: gives each row once, ascending, a number of them at a time.
///
/// When two runs have one key, which a build that was broken off and begun again can bring
/// about, the entry of the later run is given.
///
/// > Source: that entries which share more bytes with the last one given than the runner-up does
/// > need no comparison is the idea of "Offset-value coding" (Conner, "Offset-Value Coding", IBM
/// > Technical Disclosure Bulletin, 1977), here with the shared lengths that runs store anyway.
package struct SortedRunMerge {
    private var cursors: [SortedRunCursor]
    /// The cursors that have an entry, ascending by its key; of equal keys the later run first.
    private var order: [Int] = []
    /// How many bytes the keys of the first two in `order` have in common.
    private var leadCount = 0
    private let lowerKey: [UInt8]?
    private var isPrimed = false
    /// Whether a run turned out to be damaged, so that no place in it means anything any more.
    private var isBroken = false

    /// A merge of runs whose keys ascend.
    ///
    /// - Parameters:
    ///   - runs: The runs, in any order of their keys.
    ///   - key: Entries up to this key are left out: the last key that was given before a build was
    ///     broken off. nil gives all.
    package init(_ runs: [SortedRun], after key: [UInt8]?) {
        cursors = runs.map { SortedRunCursor($0) }
        lowerKey = key
    }

    /// A merge of runs that are read a block at a time, so that only one of each is in memory.
    ///
    /// - Parameters:
    ///   - sources: For each run what gives its blocks in order; nil after the last.
    ///   - key: As in ``init(_:after:)``.
    init(blocks sources: [() throws -> SortedRun?], after key: [UInt8]?) {
        cursors = sources.map { SortedRunCursor(blocks: $0) }
        lowerKey = key
    }

    /// Gives the next entries.
    ///
    /// Cost: O(log runs) comparisons an entry; none for entries that follow one another in one
    /// run. The first call reads what `after` leaves out. Nothing is allocated for an entry.
    /// - Parameters:
    ///   - countMax: The most entries that are given.
    ///   - body: Called with each entry; the spans are valid during the call. When it throws, the same
    ///     entry is the next one given.
    /// - Returns: False when all entries have been given.
    /// - Throws: ``IndexError/corrupted(place:)`` when a run is damaged; what `body` throws.
    package mutating func forEach(
        countMax: Int,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Void
    ) throws -> Bool {
        guard !isBroken else { throw SortedRunCursor.damaged }
        if !isPrimed {
            isBroken = true
            try prime()
            isBroken = false
            isPrimed = true
        }
        var given = 0
        while given < countMax, let first = order.first {
            try give(cursors[first], to: body)
            given += 1
            isBroken = true
            try advance()
            isBroken = false
        }
        return !order.isEmpty
    }

    @inline(__always)
    private func give(
        _ cursor: borrowing SortedRunCursor,
        to body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Void
    ) throws {
        let bytes = cursor.bytes.span
        try body(
            cursor.key.span.extracting(0..<cursor.keyCount), bytes.extracting(cursor.head),
            bytes.extracting(cursor.tail))
    }

    /// Goes past the entry given last, and past others with its key.
    private mutating func advance() throws {
        let first = order[0]
        while order.count > 1, leadCount == cursors[first].keyCount,
            leadCount == cursors[order[1]].keyCount
        {
            let isLeft = try cursors[order[1]].advance()
            replay(at: 1, isLeft: isLeft)
            measureLead()
        }
        let isLeft = try cursors[first].advance()
        // The runner-up is greater where it first differs from the key before; a key that is like
        // the key before further than that is less than the runner-up too.
        if isLeft, order.count == 1 || cursors[first].sharedCount > leadCount { return }
        replay(at: 0, isLeft: isLeft)
        measureLead()
    }

    private mutating func prime() throws {
        for index in cursors.indices {
            var isLeft = try cursors[index].advance()
            while isLeft, let lowerKey, !isAfter(lowerKey, cursors[index]) {
                isLeft = try cursors[index].advance()
            }
            guard isLeft else { continue }
            order.insert(index, at: 0)
            replay(at: 0, isLeft: true)
        }
        measureLead()
    }

    private func isAfter(_ lowerKey: [UInt8], _ cursor: borrowing SortedRunCursor) -> Bool {
        lowerKey.span.precedes(cursor.key.span.extracting(0..<cursor.keyCount))
    }

    /// Puts the cursor at that place of the order, whose entry has changed, where it belongs now.
    private mutating func replay(at place: Int, isLeft: Bool) {
        let cursor = order[place]
        guard isLeft else {
            order.remove(at: place)
            return
        }
        var lower = place + 1
        var upper = order.count
        // Most often it stays, or falls back by a little.
        if lower < upper, precedes(cursor, order[lower]) { return }
        while lower < upper {
            let middle = (lower + upper) / 2
            if precedes(order[middle], cursor) { lower = middle + 1 } else { upper = middle }
        }
        for index in place + 1..<lower { order[index - 1] = order[index] }
        order[lower - 1] = cursor
    }

    @inline(__always)
    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let order = cursors[left].order(to: cursors[right])
        return order == 0 ? left > right : order < 0
    }

    private mutating func measureLead() {
        leadCount = order.count > 1 ? cursors[order[0]].sharedCount(with: cursors[order[1]]) : 0
    }
}
