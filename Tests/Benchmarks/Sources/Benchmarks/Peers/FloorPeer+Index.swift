import Floor

/// The index that is measured, as a table of liblmdb's: a row for each document.
extension FloorPeer {
    /// Fills this store with the rows of all documents of another, in one transaction.
    func buildIndex(of documents: FloorPeer) throws {
        try Self.check(floor_build_index(documents.store, store))
    }

    /// Takes all rows away.
    func clear() throws {
        try Self.check(floor_clear(store))
    }

    /// The sum of the amounts, by walking the rows.
    func sum(of range: Range<Place>? = nil) throws -> Int {
        let lower = range?.lowerBound.rowStart ?? []
        let upper = range?.upperBound.rowStart ?? []
        var count = 0
        var sum: Int64 = 0
        try Self.check(
            floor_sum_index(store, lower, lower.count, upper, upper.count, &count, &sum))
        return Int(sum)
    }

    /// The bytes of the pages of its table.
    func tableByteCount() throws -> Int {
        var bytes = 0
        try Self.check(floor_table_bytes(store, &bytes))
        return bytes
    }
}

extension Place {
    /// What the rows of this key begin with.
    fileprivate var rowStart: [UInt8] { Array(type.utf8) + [0] + Array(city.utf8) + [0] }
}
