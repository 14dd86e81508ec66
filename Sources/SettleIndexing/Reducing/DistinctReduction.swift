import SettleDocuments

/// `_approx_count_distinct`: about how many different keys the rows have.
///
/// Keys are told apart by their collation keys, so 1 and 1.0 are one, and so are strings that
/// collate alike. CouchDB tells them apart by their bytes. The hash is that of the tree's boundaries,
/// which must never change either.
struct DistinctReduction {
    private var registers = DistinctRegisters()

    /// Takes in a row key, which begins with the collation key.
    mutating func add(_ key: Span<UInt8>) throws(IndexError) {
        guard let end = CollationKey.end(in: key, at: 0) else {
            throw .corrupted(place: "a row key")
        }
        registers.insert(ChunkBoundaryRule.hash(key.extracting(0..<end)))
    }

    mutating func merge(_ partial: Span<UInt8>) throws(IndexError) {
        try registers.merge(partial)
    }

    func encode(to bytes: inout [UInt8]) {
        registers.append(to: &bytes)
    }

    var result: JSONValue {
        .integer(registers.estimate)
    }

    mutating func reset() {
        registers.reset()
    }
}
