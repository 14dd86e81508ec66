import SettlePrimitives

/// Makes leaves from entries that come in ascending order.
///
/// Before each entry, ``ends(beforeSharing:)`` says whether the leaf so far is complete; then it is to
/// be written, and ``beginLeaf()`` called. One builder makes many leaves, in memory that it uses again.
struct LeafBuilder {
    private let rule: ChunkBoundaryRule
    private let place: String
    private var reduction: Reduction?
    /// The entries of the leaf so far, as they are stored.
    private(set) var entries = ByteBuffer(capacity: 16 << 10)
    /// How many entries the leaf has so far.
    private(set) var entryCount = 0
    /// The key of the last entry, of this leaf or of the one before.
    private(set) var lastKey = ByteBuffer(capacity: 256)
    /// Where the head of the last entry lies in ``entries``.
    private var lastHead = 0..<0
    /// The weight of the bundle that the last entry belongs to.
    private var weight = 0
    /// Whether that bundle may end the leaf; it cannot if it stands as it stood inside a leaf.
    private var mayEnd = false

    init(rule: ChunkBoundaryRule, reducer: IndexReducer?, place: String) {
        self.rule = rule
        self.place = place
        reduction = reducer.map { Reduction($0) }
    }

    /// Whether no entry has come since the last leaf.
    var isEmpty: Bool { entryCount == 0 }

    /// The boundary of the leaf so far: the first bytes of its last key.
    var boundary: [UInt8] { Array(lastKey.storage[..<min(lastKey.count, rule.boundaryLength)]) }

    /// Whether the last entry ends its leaf, if no entry of its bundle follows.
    var isComplete: Bool {
        guard entryCount > 0 else { return false }
        let length = min(lastKey.count, rule.boundaryLength)
        let hash = ChunkBoundaryRule.hash(lastKey.storage.span.extracting(0..<length))
        return rule.endsLeaf(hash: hash, weight: weight)
    }

    /// How many bytes a key shares with the last one.
    ///
    /// - Throws: ``IndexError/corrupted(place:)`` when the key is not above the last one, is empty, or
    ///   begins with the sentinel: keys out of order were read from damaged bytes.
    @inline(__always)
    func sharedLength(with key: Span<UInt8>) throws(IndexError) -> Int {
        let shared = lastKey.storage.span.extracting(0..<lastKey.count).sharedCount(with: key)
        guard shared < key.count, key[0] != ChunkBoundaryRule.sentinel,
            shared == lastKey.count || lastKey.storage[shared] < key[shared]
        else { throw .corrupted(place: place) }
        return shared
    }

    /// Whether the leaf so far ends before an entry that shares so many bytes with the last one.
    @inline(__always)
    func ends(beforeSharing shared: Int) -> Bool {
        shared < rule.boundaryLength && mayEnd && isComplete
    }

    /// Whether an entry that follows in a leaf the entry added last can be copied as it is there.
    ///
    /// It can unless the leaf so far ends before it, or a bundle with new entries goes on.
    @inline(__always)
    func canCopy(sharing shared: Int) -> Bool {
        !mayEnd || (shared < rule.boundaryLength && !isComplete)
    }

    /// Says that the last entry stood at the end of a leaf.
    mutating func endSource() {
        mayEnd = true
    }

    /// Appends an entry to the leaf so far; `length` is what ``sharedLength(with:)`` says of its key.
    ///
    /// `isNew` is false for an entry that stood like this in a leaf before, not at its end.
    @inline(__always)
    mutating func append(
        _ key: Span<UInt8>, sharing length: Int, _ head: Span<UInt8>, _ tail: Span<UInt8>,
        isNew: Bool = true
    ) throws(IndexError) {
        if length < rule.boundaryLength {
            weight = 0
            mayEnd = false
        }
        if isNew { mayEnd = true }
        let shared = entryCount == 0 ? 0 : length
        weight = max(
            weight, key.count &+ head.count &+ tail.count &+ ChunkBoundaryRule.entryOverhead)
        entries.append(variable: shared)
        entries.append(variable: key.count &- shared)
        let rest = key.extracting(shared..<key.count)
        entries.append(rest)
        lastKey.cut(to: shared)
        lastKey.append(rest)
        if entryCount > 0, entries.storage.span.extracting(lastHead).isSame(as: head) {
            entries.append(0)
        } else {
            entries.append(variable: head.count &+ 1)
            lastHead = entries.count..<entries.count &+ head.count
            entries.append(head)
        }
        entries.append(variable: tail.count)
        entries.append(tail)
        entryCount &+= 1
        try reduction?.add(key: key, head: head, tail: tail)
    }

    /// Takes the entry that a reader has read into the reduction and the weight.
    ///
    /// For entries that ``append(copied:from:key:head:)`` appends together afterwards.
    @inline(__always)
    mutating func count(_ reader: borrowing LeafReader, of bytes: Span<UInt8>) throws(IndexError) {
        if reader.shared < rule.boundaryLength {
            weight = 0
            mayEnd = false
        }
        weight = max(
            weight,
            reader.key.count &+ reader.head.count &+ reader.tail.count
                &+ ChunkBoundaryRule.entryOverhead)
        entryCount &+= 1
        try reduction?.add(
            key: reader.key.storage.span.extracting(0..<reader.key.count),
            head: bytes.extracting(reader.head), tail: bytes.extracting(reader.tail))
    }

    /// Appends entries that have been counted, as they are stored in another leaf.
    ///
    /// - Parameters:
    ///   - bytes: The other leaf.
    ///   - range: Where they lie in it, one after the other.
    ///   - key: The key of the last one.
    ///   - head: The head of the last one, in the other leaf.
    mutating func append(
        copied bytes: Span<UInt8>, from range: Range<Int>, key: Span<UInt8>, head: Range<Int>
    ) {
        if head.lowerBound >= range.lowerBound {
            let distance = entries.count - range.lowerBound
            lastHead = head.lowerBound + distance..<head.upperBound + distance
        }
        entries.append(bytes.extracting(range))
        lastKey.cut(to: 0)
        lastKey.append(key)
    }

    /// The leaf so far with its header; the next entry begins another one.
    mutating func takeLeaf() throws(IndexError) -> [UInt8] {
        var leaf = ByteBuffer(capacity: entries.count + 64)
        try writeHeader(to: &leaf)
        leaf.append(entries.storage.span.extracting(0..<entries.count))
        beginLeaf()
        return leaf.bytes
    }

    /// Writes the header of the leaf so far to a buffer.
    mutating func writeHeader(to buffer: inout ByteBuffer) throws(IndexError) {
        NodeHeader.write(
            entryCount: entryCount, reduction: try reduction?.encoded(), to: &buffer)
    }

    /// Begins the next leaf; only the last key is remembered, which the next must be above.
    mutating func beginLeaf() {
        entries.cut(to: 0)
        entryCount = 0
        lastHead = 0..<0
        weight = 0
        mayEnd = false
        reduction?.reset()
    }
}
