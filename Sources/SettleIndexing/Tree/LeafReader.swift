import SettlePrimitives

/// Takes the entries out of a leaf, one after the other, in place.
///
/// A leaf is its ``NodeHeader`` and then for each entry: how many bytes its key shares with the key
/// before (0 for the first), the length of the rest of the key, the rest; the length of the head and
/// 1, the head, or 0 when it is the head of the entry before; the length of the tail, the tail.
///
/// One reader may read many leaves, in memory that it uses again: nothing is allocated for an entry.
/// The leaf itself is not kept; the same bytes must be given to every call.
struct LeafReader {
    /// What the leaf is part of, for errors.
    let place: String
    /// The key of the entry read last; what ``passOver()`` left behind means nothing.
    private(set) var key = ByteBuffer(capacity: 256)
    /// How many bytes the key of the entry before has, whether it was taken or passed over.
    private var lengthBefore = 0
    /// Where in the leaf the head of the entry read last lies.
    private(set) var head = 0..<0
    /// Where in the leaf the tail of the entry read last lies.
    private(set) var tail = 0..<0
    /// How many entries are still to be read.
    private(set) var remaining = 0
    /// Where the entry looked at last begins in the leaf.
    private(set) var start = 0
    /// Where it ends.
    private(set) var position = 0
    /// How many bytes its key shares with the key before.
    private(set) var shared = 0
    /// Where the rest of its key lies in the leaf.
    private(set) var rest = 0..<0
    private var isFirst = true

    init(place: String) {
        self.place = place
    }

    /// Goes to the front of a leaf.
    ///
    /// - Throws: ``IndexError/corrupted(place:)`` when the bytes are no leaf.
    mutating func begin(_ bytes: Span<UInt8>) throws(IndexError) {
        guard let header = NodeHeader(bytes), header.entryCount > 0 else { throw damage }
        remaining = header.entryCount
        position = header.end
        key.cut(to: 0)
        lengthBefore = 0
        head = 0..<0
        isFirst = true
    }

    /// Reads the next entry.
    ///
    /// - Returns: False when all have been read.
    /// - Throws: ``IndexError/corrupted(place:)`` when the bytes are no leaf.
    @inline(__always)
    mutating func next(in bytes: Span<UInt8>) throws(IndexError) -> Bool {
        guard try lookAhead(in: bytes) else { return false }
        takeKey(in: bytes)
        return true
    }

    /// Looks at the next entry, while ``key`` stays that of the entry before.
    ///
    /// ``takeKey(in:)`` or ``passOver()`` must follow before the entry after it is looked at.
    ///
    /// - Returns: False when all have been read.
    /// - Throws: ``IndexError/corrupted(place:)`` when the bytes are no leaf.
    @inline(__always)
    mutating func lookAhead(in bytes: Span<UInt8>) throws(IndexError) -> Bool {
        guard remaining > 0 else {
            guard position == bytes.count else { throw damage }
            return false
        }
        start = position
        guard let shared = bytes.length(at: &position), shared <= lengthBefore,
            let restLength = bytes.length(at: &position),
            restLength <= bytes.count &- position
        else { throw damage }
        self.shared = shared
        rest = position..<position &+ restLength
        position = rest.upperBound
        guard let headLength = bytes.length(at: &position),
            headLength &- 1 <= bytes.count &- position, headLength > 0 || !isFirst
        else { throw damage }
        if headLength > 0 {
            head = position..<position &+ headLength &- 1
            position = head.upperBound
        }
        guard let tailLength = bytes.length(at: &position),
            tailLength <= bytes.count &- position
        else { throw damage }
        tail = position..<position &+ tailLength
        position = tail.upperBound
        remaining &-= 1
        isFirst = false
        return true
    }

    /// Makes ``key`` that of the entry looked at.
    @inline(__always)
    mutating func takeKey(in bytes: Span<UInt8>) {
        key.cut(to: shared)
        key.append(bytes.extracting(rest))
        lengthBefore = key.count
    }

    /// Leaves the entry looked at behind without making its key.
    ///
    /// For a search that ends with ``takeKey(after:in:)``.
    @inline(__always)
    mutating func passOver() {
        lengthBefore = shared &+ rest.count
    }

    /// Makes ``key`` that of the entry looked at, the first that does not come before a key.
    ///
    /// What such an entry shares with the one before, both share with that key.
    @inline(__always)
    mutating func takeKey(after searched: [UInt8], in bytes: Span<UInt8>) {
        key.cut(to: 0)
        key.append(searched.span.extracting(0..<shared))
        key.append(bytes.extracting(rest))
        lengthBefore = key.count
    }

    /// Whether the entry looked at comes after the one before and shares no more bytes with it.
    @inline(__always)
    func isAscending(in bytes: Span<UInt8>) -> Bool {
        guard !rest.isEmpty else { return false }
        let first = bytes[rest.lowerBound]
        return (shared == key.count || key.storage[shared] < first)
            && (shared > 0 || first != ChunkBoundaryRule.sentinel)
    }

    /// Appends the key of the entry read last to a buffer.
    func appendKey(to buffer: inout ByteBuffer) {
        buffer.append(key.storage.span.extracting(0..<key.count))
    }

    var damage: IndexError { .corrupted(place: place) }
}

/// Tells how the entries of a leaf, read one after the other, stand to a key.
///
/// Compares no byte twice: what an entry shares with the one before says nearly always enough.
struct KeySeek {
    private let key: [UInt8]
    /// How many bytes the key has in common with that of the entry before.
    private var common: Int

    /// Begins after the entry that the reader has read, which must be below the key.
    init(_ key: [UInt8], after reader: borrowing LeafReader) {
        self.key = key
        common = key.span.sharedCount(
            with: reader.key.storage.span.extracting(0..<reader.key.count))
    }

    /// Below, at, or above zero as the entry looked at comes before the key, has it, or comes after.
    ///
    /// To be asked about each entry, as long as the answer is below zero.
    @inline(__always)
    mutating func order(of reader: borrowing LeafReader, in bytes: Span<UInt8>) -> Int {
        if reader.shared > common { return -1 }
        if reader.shared < common { return 1 }
        let start = common
        let key = key
        let rest = bytes.extracting(reader.rest)
        let more = key.span.extracting(start..<key.count)
        let equal = rest.sharedCount(with: more)
        let isInside = equal < rest.count && equal < more.count
        let order =
            isInside ? Int(rest[equal]) - Int(more[equal]) : rest.count - more.count
        common = start &+ equal
        return order
    }
}
