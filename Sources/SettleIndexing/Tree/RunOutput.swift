import SettleStorage

/// A run or group that was written or removed.
struct TouchedNode {
    /// Its border.
    let border: [UInt8]
    /// Whether it was there before and is still; if so, it holds other entries or reductions.
    let isRewritten: Bool
}

/// Writes runs in ascending order in place of others, which it removes.
struct RunOutput {
    private let tree: RunTable
    private var header = ByteBuffer(capacity: 256)
    /// The runs that were read and not written since, from ``staleStart`` on; ascending.
    private var stale: [(border: [UInt8], header: [UInt8])] = []
    private var staleStart = 0
    /// All runs that were written or removed, ascending.
    ///
    /// Left out are those with the number of entries and the reduction that they had before.
    private(set) var touched: [TouchedNode] = []

    private let keepsTouched: Bool

    /// Writes runs of a tree; ``touched`` stays empty unless it is to be kept.
    init(_ tree: RunTable, keepsTouched: Bool) {
        self.tree = tree
        self.keepsTouched = keepsTouched
    }

    /// Notes that the run with that border has been read, and goes unless it is written.
    mutating func addStale(_ border: [UInt8], _ run: Span<UInt8>) {
        let end = NodeHeader(run)?.end ?? 0
        stale.append((border, run.extracting(0..<end).rest(from: 0)))
    }

    /// Notes that the run read last stays as it is.
    mutating func keepStale() {
        stale.removeLast()
    }

    /// Takes the run out of the builder and writes it.
    mutating func write(_ builder: inout RunBuilder, border: [UInt8]) throws {
        try removeStale(before: border)
        header.cut(to: 0)
        try builder.writeHeader(to: &header)
        try tree.table.set(
            header.storage.span.extracting(0..<header.count),
            builder.entries.storage.span.extracting(0..<builder.entries.count),
            for: tree.rowKey(0, border))
        builder.beginRun()
        noteWritten(border)
    }

    /// Writes a run.
    mutating func write(_ run: [UInt8], border: [UInt8]) throws {
        try removeStale(before: border)
        try tree.table.set(run, for: tree.rowKey(0, border))
        header.cut(to: 0)
        let end = NodeHeader(run.span)?.end ?? 0
        header.append(run.span.extracting(0..<end))
        noteWritten(border)
    }

    /// Notes that a run was written whose header is in ``header``.
    private mutating func noteWritten(_ border: [UInt8]) {
        var isRewritten = false
        var isSame = false
        if staleStart < stale.count, stale[staleStart].border == border {
            isRewritten = true
            let before = stale[staleStart].header
            isSame = header.holds(before.span)
            staleStart += 1
        }
        if keepsTouched, !isSame {
            touched.append(TouchedNode(border: border, isRewritten: isRewritten))
        }
    }

    /// Appends an entry to the builder, and writes the run so far if it ends before the entry.
    ///
    /// - Throws: ``IndexError/corrupted(place:)`` when the key is not above the last one, is empty, or
    ///   begins with the sentinel: keys out of order were read from damaged bytes.
    @inline(__always)
    mutating func append(
        _ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>, to builder: inout RunBuilder
    ) throws {
        let shared = try builder.sharedLength(with: key)
        if builder.ends(beforeSharing: shared) {
            try write(&builder, border: builder.border)
        }
        try builder.append(key, sharing: shared, head, tail)
    }

    /// Removes the runs that were read and not written, up to that border.
    mutating func removeStale(before border: [UInt8]? = nil) throws {
        while staleStart < stale.count {
            let next = stale[staleStart].border
            if let border, KeyBytes.compare(next, border) >= 0 { return }
            try tree.table.remove(tree.rowKey(0, next))
            touched.append(TouchedNode(border: next, isRewritten: false))
            staleStart += 1
        }
    }

    /// Makes the last run that there is the one that ends the table.
    ///
    /// For a table whose last run has lost all its entries; all stale runs must be gone.
    mutating func promoteLast() throws {
        var last: (border: [UInt8], bytes: [UInt8])?
        try tree.table.forEachInPlace(
            from: tree.start(of: 0), to: tree.end(of: 0), isDescending: true
        ) { rowKey, bytes in
            last = (rowKey.rest(from: 1), bytes.rest(from: 0))
            return false
        }
        guard let last else { return }
        try tree.table.remove(tree.rowKey(0, last.border))
        try tree.table.set(last.bytes, for: tree.rowKey(0, [BorderRule.sentinel]))
        // Neither border need be the greatest that was touched, nor be touched for the first time.
        touched.append(TouchedNode(border: last.border, isRewritten: false))
        touched.append(TouchedNode(border: [BorderRule.sentinel], isRewritten: false))
        touched.sort { KeyBytes.compare($0.border, $1.border) < 0 }
    }
}
