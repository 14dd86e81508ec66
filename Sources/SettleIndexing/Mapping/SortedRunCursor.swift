import SettlePrimitives
import SettleStorage

/// Reads the entries of a run one after another, and trusts none of its bytes.
///
/// The key is put together in memory of the cursor's own, which is used again for each entry; head
/// and tail stay where they are. Nothing is allocated for an entry.
struct SortedRunCursor {
    /// The run's bytes, or those of the block it is read in.
    private(set) var bytes: [UInt8]
    /// The key of the entry; bytes from `keyCount` on mean nothing.
    private(set) var key: [UInt8] = []
    private(set) var keyCount = 0
    /// How many bytes the key shares with the key before.
    private(set) var sharedCount = 0
    /// Where the head lies in the run's bytes.
    private(set) var head = 0..<0
    /// Where the tail lies in the run's bytes.
    private(set) var tail = 0..<0

    private var position = 0
    private var entriesLeft: Int
    private var isFirst = true
    private let nextBlock: (() throws -> SortedRun?)?

    /// A cursor before the first entry.
    init(_ run: SortedRun) {
        bytes = run.bytes
        entriesLeft = run.entryCount
        nextBlock = nil
    }

    /// A cursor before the first entry of a run that is read a block at a time.
    ///
    /// - Parameter nextBlock: Gives the blocks in order, each a run of its own; nil after the last.
    init(blocks nextBlock: @escaping () throws -> SortedRun?) {
        bytes = []
        entriesLeft = 0
        self.nextBlock = nextBlock
    }

    /// Goes to the next entry.
    ///
    /// - Returns: False when there is none.
    /// - Throws: ``IndexError/corrupted(place:)`` when the bytes are no entry, do not ascend, or are
    ///   not as many entries as the run says; what gives the blocks throws.
    @inline(__always)
    mutating func advance() throws -> Bool {
        guard position < bytes.count, entriesLeft > 0 else {
            guard position == bytes.count, entriesLeft == 0 else { throw Self.damaged }
            return try advanceIntoNextBlock()
        }
        guard readEntry() else { throw Self.damaged }
        entriesLeft &-= 1
        return true
    }

    private mutating func advanceIntoNextBlock() throws -> Bool {
        guard let block = try nextBlock?() else { return false }
        guard block.entryCount > 0 else { throw Self.damaged }
        bytes = block.bytes
        entriesLeft = block.entryCount
        position = 0
        keyCount = 0
        isFirst = true
        return try advance()
    }

    /// How many bytes the keys of both have in common.
    @inline(__always)
    func sharedCount(with other: borrowing SortedRunCursor) -> Int {
        let (mine, others) = (key.span, other.key.span)
        return mine.extracting(0..<keyCount)
            .sharedCount(with: others.extracting(0..<other.keyCount))
    }

    /// Below, at, or above zero as this key comes before, equals, or comes after the other's.
    @inline(__always)
    func order(to other: borrowing SortedRunCursor) -> Int {
        let shared = sharedCount(with: other)
        guard shared < keyCount, shared < other.keyCount else {
            return keyCount &- other.keyCount
        }
        return Int(key[shared]) &- Int(other.key[shared])
    }

    private mutating func readEntry() -> Bool {
        let bytes = bytes
        let source = bytes.span
        guard let shared = Self.length(in: source, at: &position, max: keyCount),
            let restCount = Self.length(in: source, at: &position, max: source.count)
        else { return false }
        guard restCount <= source.count &- position, isFirst || restCount > 0 else { return false }
        // Each key comes after the one before: it goes on where that ended, or is greater there.
        guard shared == keyCount || source[position] > key[shared] else { return false }
        let end = shared &+ restCount
        if key.count < end {
            key.append(contentsOf: repeatElement(0, count: max(end, 64, 2 * key.count) - key.count))
        }
        let rest = source.extracting(position..<position &+ restCount)
        position &+= restCount
        var target = key.mutableSpan
        target.copy(rest, to: shared)
        (sharedCount, keyCount) = (shared, end)

        guard let headMark = Self.length(in: source, at: &position, max: source.count) else {
            return false
        }
        if headMark > 0 {
            guard headMark &- 1 <= source.count &- position else { return false }
            head = position..<position &+ headMark &- 1
            position = head.upperBound
        } else if isFirst {
            return false
        }
        guard let tailCount = Self.length(in: source, at: &position, max: source.count),
            tailCount <= source.count &- position
        else { return false }
        tail = position..<position &+ tailCount
        position = tail.upperBound
        isFirst = false
        return true
    }

    /// Reads a number in groups of seven bits; nil when it is cut short or greater than the limit.
    @inline(__always)
    private static func length(
        in bytes: Span<UInt8>, at position: inout Int, max limit: Int
    ) -> Int? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        if byte < 0x80 {
            position &+= 1
            return Int(byte) <= limit ? Int(byte) : nil
        }
        guard let number = bytes.variable(at: &position), number <= UInt64(limit) else {
            return nil
        }
        return Int(number)
    }

    /// What a damaged run is reported as.
    static var damaged: IndexError { .corrupted(place: "a run of a build under way") }
}
