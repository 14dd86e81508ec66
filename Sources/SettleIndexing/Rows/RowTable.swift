package import SettleStorage

/// An ordered table whose keys may be longer than the 511 bytes that the engine allows.
///
/// A key of up to 510 bytes is a key of the engine's table. Longer keys with the same first 511
/// bytes share one row there, a *bucket*, which lists the rest of each key with its value in
/// order. No key of a row is the start of another (``RowKey``), so a short key and a bucket always
/// differ within the first 510 bytes, and the order over all keys is exact.
///
/// Bucket shape: for each entry the rest of the key, counted, and the value, counted.
package struct RowTable {
    private static let bucketKeyLength = 511
    private let table: OrderedTable

    /// A view of one of the store's tables.
    package init(_ table: OrderedTable) {
        self.table = table
    }

    private struct Entry {
        var rest: [UInt8]
        var value: [UInt8]
    }

    /// Writes a row, replacing one with the same key.
    ///
    /// - Complexity: O(log n); for a long key also the size of its bucket.
    package func put(_ value: [UInt8], for key: [UInt8]) throws {
        guard key.count >= Self.bucketKeyLength else {
            return try table.set(value, for: key)
        }
        let (bucketKey, rest) = Self.split(key)
        var entries = try bucket(bucketKey)
        let index = entries.firstIndex { !$0.rest.lexicographicallyPrecedes(rest) }
        let entry = Entry(rest: rest, value: value)
        if let index, entries[index].rest == rest {
            entries[index] = entry
        } else {
            entries.insert(entry, at: index ?? entries.endIndex)
        }
        try table.set(Self.encode(entries), for: bucketKey)
    }

    /// Removes a row; one that is not there is left alone.
    package func remove(_ key: [UInt8]) throws {
        guard key.count >= Self.bucketKeyLength else {
            try table.remove(key)
            return
        }
        let (bucketKey, rest) = Self.split(key)
        var entries = try bucket(bucketKey)
        entries.removeAll { $0.rest == rest }
        if entries.isEmpty {
            try table.remove(bucketKey)
        } else {
            try table.set(Self.encode(entries), for: bucketKey)
        }
    }

    /// Walks the rows whose keys are at least `lower` and less than `upper`.
    ///
    /// - Parameters:
    ///   - lower: The first key that counts; nil for the first of the table.
    ///   - upper: The first key that no longer counts; nil for none.
    ///   - isDescending: True to walk from the end.
    ///   - body: Called with each key and value; answers false to stop.
    /// - Throws: ``IndexError/corrupted(place:)``, ``StorageError``, what `body` throws.
    package func forEach(
        from lower: [UInt8]?, to upper: [UInt8]?, isDescending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        if let lower, let upper, !lower.lexicographicallyPrecedes(upper) { return }
        let first: TableEdge =
            lower.map { .including(Array($0.prefix(Self.bucketKeyLength))) }
            ?? .unbounded
        let last: TableEdge =
            switch upper {
            case nil: .unbounded
            case let upper? where upper.count < Self.bucketKeyLength: .excluding(upper)
            case let upper?: .including(Array(upper.prefix(Self.bucketKeyLength)))
            }
        try table.forEach(from: first, to: last, isDescending: isDescending) { keySpan, valueSpan in
            let key = keySpan.rest(from: 0)
            let value = valueSpan.rest(from: 0)
            guard key.count == Self.bucketKeyLength else { return try body(key, value) }
            let entries = try Self.decode(value)
            for entry in isDescending ? entries.reversed() : entries {
                let whole = key + entry.rest
                if let lower, whole.lexicographicallyPrecedes(lower) { continue }
                if let upper, !whole.lexicographicallyPrecedes(upper) { continue }
                guard try body(whole, entry.value) else { return false }
            }
            return true
        }
    }

    private func bucket(_ key: [UInt8]) throws -> [Entry] {
        try table.value(for: key).map(Self.decode) ?? []
    }

    private static func split(_ key: [UInt8]) -> (bucketKey: [UInt8], rest: [UInt8]) {
        (Array(key.prefix(bucketKeyLength)), Array(key.dropFirst(bucketKeyLength)))
    }

    private static func encode(_ entries: [Entry]) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            bytes.append(counted: entry.rest)
            bytes.append(counted: entry.value)
        }
        return bytes
    }

    private static func decode(_ bytes: [UInt8]) throws -> [Entry] {
        let span = bytes.span
        var entries: [Entry] = []
        var position = 0
        while position < span.count {
            guard let rest = span.counted(at: &position), let value = span.counted(at: &position)
            else { throw IndexError.corrupted(place: "a bucket of long keys") }
            entries.append(Entry(rest: rest, value: value))
        }
        return entries
    }
}
