import SettlePrimitives
import SettleStorage

/// A leaf or inner node that was written or removed.
struct TouchedNode {
    /// Its boundary.
    let boundary: [UInt8]
    /// Whether it was there before and is still; if so, it holds other entries or reductions.
    let isRewritten: Bool
}

/// Writes leaves in ascending order in place of others, which it removes.
struct LeafOutput {
    private let tree: SummaryTree
    private var header = ByteBuffer(capacity: 256)
    /// The leaves that were read and not written since, from ``staleStart`` on; ascending.
    private var stale: [(boundary: [UInt8], header: [UInt8])] = []
    private var staleStart = 0
    /// All leaves that were written or removed, ascending.
    ///
    /// Left out are those with the number of entries and the reduction that they had before.
    private(set) var touched: [TouchedNode] = []

    private let keepsTouched: Bool

    /// Writes leaves of a tree; ``touched`` stays empty unless it is to be kept.
    init(_ tree: SummaryTree, keepsTouched: Bool) {
        self.tree = tree
        self.keepsTouched = keepsTouched
    }

    /// Notes that the leaf with that boundary has been read, and goes unless it is written.
    mutating func addStale(_ boundary: [UInt8], _ leaf: Span<UInt8>) {
        let end = NodeHeader(leaf)?.end ?? 0
        stale.append((boundary, leaf.extracting(0..<end).rest(from: 0)))
    }

    /// Notes that the leaf read last stays as it is.
    mutating func keepStale() {
        stale.removeLast()
    }

    /// Takes the leaf out of the builder and writes it.
    mutating func write(_ builder: inout LeafBuilder, boundary: [UInt8]) throws {
        try removeStale(before: boundary)
        header.cut(to: 0)
        try builder.writeHeader(to: &header)
        try tree.table.set(
            header.storage.span.extracting(0..<header.count),
            builder.entries.storage.span.extracting(0..<builder.entries.count),
            for: tree.rowKey(0, boundary))
        builder.beginLeaf()
        noteWritten(boundary)
    }

    /// Writes a leaf.
    mutating func write(_ leaf: [UInt8], boundary: [UInt8]) throws {
        try removeStale(before: boundary)
        try tree.table.set(leaf, for: tree.rowKey(0, boundary))
        header.cut(to: 0)
        let end = NodeHeader(leaf.span)?.end ?? 0
        header.append(leaf.span.extracting(0..<end))
        noteWritten(boundary)
    }

    /// Notes that a leaf was written whose header is in ``header``.
    private mutating func noteWritten(_ boundary: [UInt8]) {
        var isRewritten = false
        var isSame = false
        if staleStart < stale.count, stale[staleStart].boundary == boundary {
            isRewritten = true
            let before = stale[staleStart].header
            isSame = header.holds(before.span)
            staleStart += 1
        }
        if keepsTouched, !isSame {
            touched.append(TouchedNode(boundary: boundary, isRewritten: isRewritten))
        }
    }

    /// Appends an entry to the builder, and writes the leaf so far if it ends before the entry.
    ///
    /// - Throws: ``IndexError/corrupted(place:)`` when the key is not above the last one, is empty, or
    ///   begins with the sentinel: keys out of order were read from damaged bytes.
    @inline(__always)
    mutating func append(
        _ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>, to builder: inout LeafBuilder
    ) throws {
        let shared = try builder.sharedLength(with: key)
        if builder.ends(beforeSharing: shared) {
            try write(&builder, boundary: builder.boundary)
        }
        try builder.append(key, sharing: shared, head, tail)
    }

    /// Removes the leaves that were read and not written, up to that boundary.
    mutating func removeStale(before boundary: [UInt8]? = nil) throws {
        while staleStart < stale.count {
            let next = stale[staleStart].boundary
            if let boundary, KeyBytes.compare(next, boundary) >= 0 { return }
            try tree.table.remove(tree.rowKey(0, next))
            touched.append(TouchedNode(boundary: next, isRewritten: false))
            staleStart += 1
        }
    }

    /// Makes the last leaf that there is the one that ends the table.
    ///
    /// For a table whose last leaf has lost all its entries; all stale leaves must be gone.
    mutating func promoteLast() throws {
        var last: (boundary: [UInt8], bytes: [UInt8])?
        try tree.table.forEachInPlace(
            from: tree.start(of: 0), to: tree.end(of: 0), isDescending: true
        ) { rowKey, bytes in
            last = (rowKey.rest(from: 1), bytes.rest(from: 0))
            return false
        }
        guard let last else { return }
        try tree.table.remove(tree.rowKey(0, last.boundary))
        try tree.table.set(last.bytes, for: tree.rowKey(0, [ChunkBoundaryRule.sentinel]))
        // Neither boundary need be the greatest that was touched, nor be touched for the first time.
        touched.append(TouchedNode(boundary: last.boundary, isRewritten: false))
        touched.append(TouchedNode(boundary: [ChunkBoundaryRule.sentinel], isRewritten: false))
        touched.sort { KeyBytes.compare($0.boundary, $1.boundary) < 0 }
    }
}
