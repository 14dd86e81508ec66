import SettlePrimitives

/// Distinct packed keys, each with its collation key, and numbers to call them by.
///
/// An open-addressing table over two arenas: finding a key that is there allocates nothing. The
/// hash is seeded anew for every table, so that no document can be written to make all keys meet in
/// one place; nothing outside depends on it.
struct InternedKeys {
    private struct Entry {
        let hash: UInt64
        let packedStart: Int
        let collationStart: Int
    }

    /// The packed keys, one after another.
    private(set) var packed = ByteBuffer()
    /// The collation keys, one after another.
    private(set) var collation = ByteBuffer()

    private var entries: [Entry] = []
    /// Number of the entry + 1, or 0; their count is a power of two, at most two thirds used.
    private var slots: [UInt32] = Array(repeating: 0, count: 64)
    private let seed = UInt64.random(in: .min ... .max)

    /// How many distinct packed keys there are.
    var count: Int { entries.count }

    /// The bytes of memory that the keys take, without room kept for later.
    var byteCount: Int {
        packed.count + collation.count
            + entries.count * (MemoryLayout<Entry>.stride + 3 * MemoryLayout<UInt32>.stride)
    }

    /// Where the packed key of that number lies.
    @inline(__always)
    func packedRange(_ key: Int) -> Range<Int> {
        let end = key &+ 1 < entries.count ? entries[key &+ 1].packedStart : packed.count
        return entries[key].packedStart..<end
    }

    /// Where the collation key of that number lies.
    @inline(__always)
    func collationRange(_ key: Int) -> Range<Int> {
        let end = key &+ 1 < entries.count ? entries[key &+ 1].collationStart : collation.count
        return entries[key].collationStart..<end
    }

    /// Whether the first key's collation key comes before the second's.
    @inline(__always)
    func precedes(_ left: Int, _ right: Int) -> Bool {
        let bytes = collation.storage.span
        return bytes.extracting(collationRange(left))
            .precedes(bytes.extracting(collationRange(right)))
    }

    /// Whether two keys have one collation key.
    @inline(__always)
    func isSame(_ left: Int, _ right: Int) -> Bool {
        let bytes = collation.storage.span
        return left == right
            || bytes.extracting(collationRange(left))
                .isSame(as: bytes.extracting(collationRange(right)))
    }

    /// The number of a packed key; nil when it is new.
    @inline(__always)
    func number(of key: Span<UInt8>) -> Int? {
        let hash = Self.hash(key, seed: seed)
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            let number = Int(slots[slot]) &- 1
            if entries[number].hash == hash {
                let known = packed.storage.span.extracting(packedRange(number))
                if known.isSame(as: key) { return number }
            }
            slot = (slot &+ 1) & mask
        }
        return nil
    }

    /// Adds a packed key, which must be new, with its collation key; gives its number.
    mutating func add(_ key: Span<UInt8>, collationKey: Span<UInt8>) -> Int {
        let number = entries.count
        precondition(number < Int(UInt32.max), "A collector has more keys than it can number.")
        entries.append(
            Entry(
                hash: Self.hash(key, seed: seed), packedStart: packed.count,
                collationStart: collation.count))
        packed.append(key)
        collation.append(collationKey)
        if 3 * entries.count > 2 * slots.count {
            slots = Array(repeating: 0, count: 4 * slots.count)
            for index in entries.indices { place(index) }
        } else {
            place(number)
        }
        return number
    }

    private mutating func place(_ number: Int) {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: entries[number].hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(number + 1)
    }

    /// Forgets everything; the memory stays, because as many keys are likely to come again.
    mutating func removeAll() {
        packed.cut(to: 0)
        collation.cut(to: 0)
        entries.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }

    @inline(__always)
    private static func hash(_ key: Span<UInt8>, seed: UInt64) -> UInt64 {
        let count = key.count
        var hash = seed ^ (UInt64(count) &* 0x9E37_79B9_7F4A_7C15)
        if count >= 8 {
            var index = 0
            while index &+ 8 < count {
                hash = mix(hash, key.word(at: index))
                index &+= 8
            }
            hash = mix(hash, key.word(at: count &- 8))
        } else {
            var word: UInt64 = 0
            for index in 0..<count { word = word << 8 | UInt64(key[index]) }
            hash = mix(hash, word)
        }
        return hash ^ (hash >> 29)
    }

    /// Folds a word in by one full multiplication, whose upper half depends on every bit.
    @inline(__always)
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}
