import SettleStorage

/// The sorted segments of a build, in the side table of a slot, until they are merged.
///
/// Shape: `s`, number of the segment, number of the block, four bytes each, most significant first
/// -> number of entries, entries as in a run. The blocks of a segment follow each other; those that were merged are
/// removed, so that what is there is what there is to do.
struct SegmentTable {
    private let table: OrderedTable
    private static let kind = UInt8(ascii: "s")

    init(_ table: OrderedTable) {
        self.table = table
    }

    func set(_ block: Segment, segment: Int, block number: Int) throws {
        var value: [UInt8] = []
        value.append(variable: UInt64(block.entryCount))
        value.append(contentsOf: block.bytes)
        try table.set(value, for: Self.key(segment, number))
    }

    /// What is left of each segment.
    func sources() throws -> [SegmentSource] {
        var sources: [SegmentSource] = []
        var start = Self.key(0, 0)
        while true {
            var found: (segment: Int, block: Int)?
            try table.forEach(from: .including(start), to: .excluding([Self.kind + 1])) { key, _ in
                var position = 1
                guard key.count == 9, let numbers = key.fixed64(at: &position) else {
                    throw IndexError.corrupted(place: "the segments of an index")
                }
                found = (Int(numbers >> 32), Int(numbers & 0xFFFF_FFFF))
                return false
            }
            guard let found else { return sources }
            sources.append(SegmentSource(table, segment: found.segment, block: found.block))
            guard found.segment < Int(UInt32.max) else { return sources }
            start = Self.key(found.segment + 1, 0)
        }
    }

    /// Removes the blocks that were used up.
    func removeUsed(of sources: [SegmentSource]) throws {
        for source in sources {
            for block in source.used { try table.remove(Self.key(source.segment, block)) }
        }
    }

    static func key(_ segment: Int, _ block: Int) -> [UInt8] {
        var key = [kind]
        key.append(fixed64: UInt64(segment) << 32 | UInt64(block))
        return key
    }
}

/// Gives the blocks of one segment, one after the other.
final class SegmentSource {
    private let table: OrderedTable
    fileprivate let segment: Int
    private let first: Int
    private var next: Int

    fileprivate init(_ table: OrderedTable, segment: Int, block: Int) {
        self.table = table
        self.segment = segment
        first = block
        next = block
    }

    /// The blocks all of whose entries were taken: all that were given but the last.
    ///
    /// When the last was given too and used up, asking for the next one has found the end.
    fileprivate var used: Range<Int> { first..<(isAtEnd ? next : max(first, next - 1)) }
    private var isAtEnd = false

    /// The next block; nil after the last.
    func nextBlock() throws -> Segment? {
        guard let bytes = try table.value(for: SegmentTable.key(segment, next)) else {
            isAtEnd = true
            return nil
        }
        next += 1
        let span = bytes.span
        var position = 0
        guard let count = span.variable(at: &position).flatMap({ Int(exactly: $0) }) else {
            throw IndexError.corrupted(place: "the segments of an index")
        }
        return Segment(bytes: span.rest(from: position), entryCount: count)
    }
}
