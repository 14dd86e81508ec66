import SettlePrimitives
import SettleStorage

/// Fills a table from entries that come in ascending order.
///
/// For a table that is empty or was filled by other appenders before, as far as they got. Good for
/// one transaction; at its end, call ``flush()``. When all transactions are through, call
/// ``SummaryTree/finishAppending()``, which makes the levels.
package final class TreeAppender {
    // One value, so that an entry costs one check of exclusive access.
    private var filling: LeafFilling

    init(_ tree: SummaryTree) {
        filling = LeafFilling(tree)
    }

    /// Appends an entry.
    ///
    /// - Throws: ``IndexError/corrupted(place:)`` when the key is not above all others, is empty, or
    ///   begins with FF: what is appended has been read from damaged bytes; what the table and the
    ///   reducer throw. The transaction must be given up then.
    /// - Complexity: O(1), and a write of the engine for a leaf.
    package func append(key: Span<UInt8>, head: Span<UInt8>, tail: Span<UInt8>) throws {
        try filling.append(key, head, tail)
    }

    /// Writes what is left over as the last leaf; appending may go on after that.
    ///
    /// - Throws: What the table and the reducer throw.
    package func flush() throws {
        try filling.flush()
    }
}

/// The leaves that an appender is making.
private struct LeafFilling {
    private let tree: SummaryTree
    private var builder: LeafBuilder
    private var output: LeafOutput
    /// Whether the table's last leaf is in the builder and not in the table.
    private var hasOpened = false

    init(_ tree: SummaryTree) {
        self.tree = tree
        builder = LeafBuilder(rule: tree.rule, reducer: tree.reducer, place: tree.place)
        output = LeafOutput(tree, keepsTouched: false)
    }

    mutating func append(_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws {
        if !hasOpened { try openLast() }
        try output.append(key, head, tail, to: &builder)
    }

    mutating func flush() throws {
        guard hasOpened, !builder.isEmpty else { return }
        try output.write(&builder, boundary: [ChunkBoundaryRule.sentinel])
        hasOpened = false
    }

    /// Takes the last leaf out of the table, so that all others can be appended to it.
    private mutating func openLast() throws {
        hasOpened = true
        var last: (key: [UInt8], bytes: [UInt8])?
        try tree.table.forEachInPlace(
            from: tree.start(of: 0), to: tree.end(of: 0), isDescending: true
        ) { rowKey, bytes in
            last = (rowKey.rest(from: 0), bytes.rest(from: 0))
            return false
        }
        guard let last else { return }
        var reader = LeafReader(place: tree.place)
        builder = LeafBuilder(rule: tree.rule, reducer: tree.reducer, place: tree.place)
        let bytes = last.bytes.span
        try reader.begin(bytes)
        while try reader.next(in: bytes) {
            let key = reader.key.storage.span.extracting(0..<reader.key.count)
            let shared = try builder.sharedLength(with: key)
            if builder.ends(beforeSharing: shared) { throw tree.damage }
            try builder.append(
                key, sharing: shared, bytes.extracting(reader.head), bytes.extracting(reader.tail))
        }
        try tree.table.remove(last.key)
    }
}

extension SummaryTree {
    /// What fills the table from entries that ascend, all above what is there.
    package func appender() -> TreeAppender { TreeAppender(self) }
}
