import SettlePrimitives
import SettleStorage

/// The runs of a build, in the side table of a slot, until they are merged.
///
/// Shape: `s`, number of the run, number of the block, four bytes each, most significant first
/// -> number of entries, entries as in a run. The blocks of a run follow each other; those that were merged are
/// removed, so that what is there is what there is to do.
struct SortedRunTable {
    private let table: OrderedTable
    private static let kind = UInt8(ascii: "s")

    init(_ table: OrderedTable) {
        self.table = table
    }

    func set(_ block: SortedRun, run: Int, block number: Int) throws {
        var value: [UInt8] = []
        value.append(variable: UInt64(block.entryCount))
        value.append(contentsOf: block.bytes)
        try table.set(value, for: Self.key(run, number))
    }

    /// What is left of each run.
    func sources() throws -> [SortedRunSource] {
        var sources: [SortedRunSource] = []
        var start = Self.key(0, 0)
        while true {
            var found: (run: Int, block: Int)?
            try table.forEach(from: .including(start), to: .excluding([Self.kind + 1])) { key, _ in
                var position = 1
                guard key.count == 9, let numbers = key.fixed64(at: &position) else {
                    throw IndexError.corrupted(place: "the runs of an index")
                }
                found = (Int(numbers >> 32), Int(numbers & 0xFFFF_FFFF))
                return false
            }
            guard let found else { return sources }
            sources.append(SortedRunSource(table, run: found.run, block: found.block))
            guard found.run < Int(UInt32.max) else { return sources }
            start = Self.key(found.run + 1, 0)
        }
    }

    /// Walks every block and reads its entries.
    ///
    /// - Parameter advance: Called after each block.
    /// - Returns: How many blocks can be read, and how many rows are none.
    /// - Throws: What the engine and `advance` throw.
    func check(advance: () throws -> Void) throws -> (blockCount: Int, damagedCount: Int) {
        var (blockCount, damagedCount) = (0, 0)
        try table.forEach(from: .including([Self.kind]), to: .excluding([Self.kind + 1])) {
            key, value in
            var position = 0
            if key.count == 9,
                let count = value.variable(at: &position).flatMap({ Int(exactly: $0) }),
                SortedRun(bytes: value.rest(from: position), entryCount: count).isReadable
            {
                blockCount += 1
            } else {
                damagedCount += 1
            }
            try advance()
            return true
        }
        return (blockCount, damagedCount)
    }

    /// Removes the blocks that were used up.
    func removeUsed(of sources: [SortedRunSource]) throws {
        for source in sources {
            for block in source.used { try table.remove(Self.key(source.run, block)) }
        }
    }

    static func key(_ run: Int, _ block: Int) -> [UInt8] {
        var key = [kind]
        key.append(fixed64: UInt64(run) << 32 | UInt64(block))
        return key
    }
}

/// Gives the blocks of one run, one after the other.
final class SortedRunSource {
    private let table: OrderedTable
    fileprivate let run: Int
    private let first: Int
    private var next: Int

    fileprivate init(_ table: OrderedTable, run: Int, block: Int) {
        self.table = table
        self.run = run
        first = block
        next = block
    }

    /// The blocks all of whose entries were taken: all that were given but the last.
    ///
    /// When the last was given too and used up, asking for the next one has found the end.
    fileprivate var used: Range<Int> { first..<(isAtEnd ? next : max(first, next - 1)) }
    private var isAtEnd = false

    /// The next block; nil after the last.
    func nextBlock() throws -> SortedRun? {
        guard let bytes = try table.value(for: SortedRunTable.key(run, next)) else {
            isAtEnd = true
            return nil
        }
        next += 1
        let span = bytes.span
        var position = 0
        guard let count = span.variable(at: &position).flatMap({ Int(exactly: $0) }) else {
            throw IndexError.corrupted(place: "the runs of an index")
        }
        return SortedRun(bytes: span.rest(from: position), entryCount: count)
    }
}

extension SortedRun {
    /// Whether every entry can be read.
    fileprivate var isReadable: Bool {
        var cursor = SortedRunCursor(self)
        do {
            while try cursor.advance() {}
            return true
        } catch {
            return false
        }
    }
}
