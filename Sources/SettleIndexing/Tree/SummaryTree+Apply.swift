import SettlePrimitives
import SettleStorage

extension SummaryTree {
    /// Changes entries.
    ///
    /// Each leaf that is touched is read in place and written once, and so is each inner node above. A leaf
    /// that turns out to stay as it is is not written, nor is an inner node whose leaves keep their numbers
    /// of entries and reductions.
    ///
    /// - Parameter edits: Ascending by their keys, each key once; traps when they are not.
    /// - Returns: By how many entries the table grew; negative when it became smaller.
    /// - Throws: ``IndexError/corrupted(place:)``, what the table throws, what the reducer throws. The
    ///   table is then half changed, and the transaction must be given up.
    /// - Complexity: O(log n) and one leaf and one inner node a level, for every leaf that is touched.
    package func apply(_ edits: [TreeEdit]) throws -> Int {
        for (index, edit) in edits.enumerated() {
            precondition(
                edit.key.first.map { $0 != ChunkBoundaryRule.sentinel } ?? false,
                "A key is not empty and does not begin with FF.")
            precondition(
                index == 0 || KeyBytes.compare(edits[index - 1].key, edit.key) < 0,
                "Edits ascend by their keys, each key once.")
        }
        var change = LeafChange(self, edits)
        try change.run()
        if storesLevels { try updateLevels(touched: change.touched) }
        return change.growth
    }
}

/// One change of the leaves of a table.
private struct LeafChange {
    private let tree: SummaryTree
    private let edits: [TreeEdit]
    private var builder: LeafBuilder
    private var output: LeafOutput
    /// Leaves that are complete and cannot be written yet, because the table is being read in place.
    private var closed: [(boundary: [UInt8], bytes: [UInt8])] = []
    /// The first edit that is still to be made.
    private var next = 0
    /// Whether anything has changed since the last leaf was written.
    private var hasChanged = false
    /// By how many entries the table has grown so far.
    private(set) var growth = 0

    init(_ tree: SummaryTree, _ edits: [TreeEdit]) {
        self.tree = tree
        self.edits = edits
        builder = LeafBuilder(rule: tree.rule, reducer: tree.reducer, place: tree.place)
        output = LeafOutput(tree, keepsTouched: true)
    }

    /// The leaves that were written or removed, ascending.
    var touched: [TouchedNode] { output.touched }

    mutating func run() throws {
        guard !edits.isEmpty else { return }
        var reader = LeafReader(place: tree.place)
        var hasReachedEnd = false
        while next < edits.count, !hasReachedEnd {
            let first = tree.edge(0, atOrAfter: edits[next].key)
            guard let boundary = try merge(leafFrom: first, with: &reader) else {
                // Only an empty table has no leaf for a key.
                try insert(until: edits.count)
                try writeClosed()
                hasReachedEnd = true
                break
            }
            hasReachedEnd = try finish(boundary, with: &reader)
        }
        if !hasReachedEnd {
            try output.removeStale()
        } else if builder.isEmpty {
            try output.removeStale()
            try output.promoteLast()
        } else {
            try output.write(&builder, boundary: [ChunkBoundaryRule.sentinel])
            try output.removeStale()
        }
    }

    /// Writes a leaf that was merged, with those after it until a boundary of before is one still.
    ///
    /// - Returns: Whether that was the end of the table; the builder then holds what is left over.
    private mutating func finish(
        _ first: [UInt8], with reader: inout LeafReader
    ) throws -> Bool {
        var boundary = first
        while true {
            if !hasChanged {
                builder.beginLeaf()
                output.keepStale()
                return false
            }
            if boundary == [ChunkBoundaryRule.sentinel] { return true }
            if builder.isEmpty { return false }
            if builder.isComplete {
                try output.write(&builder, boundary: builder.boundary)
                return false
            }
            guard
                let following = try merge(
                    leafFrom: tree.edge(0, after: boundary), with: &reader)
            else { throw tree.damage }
            boundary = following
        }
    }

    /// Feeds the first leaf from an edge on to the builder, with its edits made.
    ///
    /// - Returns: The boundary of the leaf; nil when there is none.
    private mutating func merge(
        leafFrom edge: TableEdge, with reader: inout LeafReader
    ) throws -> [UInt8]? {
        var boundary: [UInt8]?
        if builder.isEmpty { hasChanged = false }
        try tree.table.forEachInPlace(from: edge, to: tree.end(of: 0)) { rowKey, bytes in
            let own = rowKey.rest(from: 1)
            boundary = own
            output.addStale(own, bytes)
            try merge(bytes, until: editsEnd(within: own), with: &reader)
            return false
        }
        try writeClosed()
        return boundary
    }

    /// The first edit from ``next`` on that is not for the leaf with that boundary.
    private func editsEnd(within boundary: [UInt8]) -> Int {
        var index = next
        while index < edits.count {
            let key = edits[index].key
            let length = min(key.count, tree.rule.boundaryLength)
            if KeyBytes.compare(key.span.extracting(0..<length), boundary.span) > 0 { break }
            index += 1
        }
        return index
    }

    /// Feeds a leaf to the builder, with the edits before that one made.
    private mutating func merge(
        _ bytes: Span<UInt8>, until end: Int, with reader: inout LeafReader
    ) throws {
        try reader.begin(bytes)
        var hasEntry = try reader.lookAhead(in: bytes)
        // Whether the builder's last entry has the key and head of the one before in this leaf.
        var isInStep = builder.isEmpty
        while hasEntry {
            if isInStep, builder.canCopy(sharing: reader.shared) {
                hasEntry = try copyEntries(of: bytes, until: end, with: &reader)
                isInStep = false
                if !hasEntry { break }
            }
            guard reader.isAscending(in: bytes) else { throw tree.damage }
            reader.takeKey(in: bytes)
            isInStep = try mergeEntry(of: bytes, until: end, with: reader)
            hasEntry = try reader.lookAhead(in: bytes)
        }
        builder.endSource()
        try insert(until: end)
    }

    /// Copies entries as they are stored, up to the first that the next edit comes before or is for.
    ///
    /// - Returns: Whether there is such an entry, which has then been looked at.
    private mutating func copyEntries(
        of bytes: Span<UInt8>, until end: Int, with reader: inout LeafReader
    ) throws -> Bool {
        let start = reader.start
        var stop = start
        var head = reader.head
        var hasEntry = true
        var seek = next < end ? KeySeek(edits[next].key, after: reader) : nil
        while hasEntry {
            guard reader.isAscending(in: bytes) else { throw tree.damage }
            if let order = seek?.order(of: reader, in: bytes), order >= 0 { break }
            reader.takeKey(in: bytes)
            if builder.isEmpty {
                _ = try builder.sharedLength(
                    with: reader.key.storage.span.extracting(0..<reader.key.count))
            }
            try builder.count(reader, of: bytes)
            stop = reader.position
            head = reader.head
            hasEntry = try reader.lookAhead(in: bytes)
        }
        if stop > start {
            builder.append(
                copied: bytes, from: start..<stop,
                key: reader.key.storage.span.extracting(0..<reader.key.count), head: head)
        }
        return hasEntry
    }

    /// Feeds the entry that was read to the builder, after the edits that come before it.
    ///
    /// - Returns: Whether the builder's last entry has the key and head of the entry read.
    private mutating func mergeEntry(
        of bytes: Span<UInt8>, until end: Int, with reader: borrowing LeafReader
    ) throws -> Bool {
        let key = reader.key.storage.span.extracting(0..<reader.key.count)
        let head = bytes.extracting(reader.head)
        let tail = bytes.extracting(reader.tail)
        while next < end {
            let edit = edits[next]
            let order = KeyBytes.compare(edit.key.span, key)
            if order > 0 { break }
            if order == 0 {
                if let entry = edit.entry, entry.head.span.isSame(as: head),
                    entry.tail.span.isSame(as: tail)
                {
                    next += 1
                    break
                }
                growth -= 1
                hasChanged = true
                try insert(until: next + 1)
                return edit.entry.map { $0.head.span.isSame(as: head) } ?? false
            }
            try insert(until: next + 1)
        }
        try append(key, head, tail, isNew: false)
        return true
    }

    /// Feeds the entries of the edits before that one to the builder.
    private mutating func insert(until end: Int) throws {
        while next < end {
            let edit = edits[next]
            if let entry = edit.entry {
                growth += 1
                hasChanged = true
                try append(edit.key.span, entry.head.span, entry.tail.span, isNew: true)
            }
            next += 1
        }
    }

    /// Appends an entry to the builder, and closes the leaf so far if it ends before the entry.
    private mutating func append(
        _ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>, isNew: Bool
    ) throws {
        let shared = try builder.sharedLength(with: key)
        if builder.ends(beforeSharing: shared) {
            closed.append((builder.boundary, try builder.takeLeaf()))
        }
        try builder.append(key, sharing: shared, head, tail, isNew: isNew)
    }

    private mutating func writeClosed() throws {
        for leaf in closed { try output.write(leaf.bytes, boundary: leaf.boundary) }
        closed.removeAll()
    }
}
