import SettleStorage

extension RunTable {
    /// Walks the entries whose keys are at least `lower` and below `upper`.
    ///
    /// The table must not be changed meanwhile. The spans are good inside one call of `body`.
    ///
    /// - Parameters:
    ///   - lower: The first key that counts; nil for the first of the table.
    ///   - upper: The first key that no longer counts; nil for none.
    ///   - isDescending: True to walk from the end.
    ///   - body: Called with key, head, and tail; answers false to stop.
    /// - Throws: ``IndexError/corrupted(place:)``, what the table throws, what `body` throws.
    /// - Complexity: O(log n) to get there, then some tens of nanoseconds an entry. Descending, every
    ///   run is taken apart before its last entry is given out.
    package func forEach(
        from lower: [UInt8]?, to upper: [UInt8]?, isDescending: Bool,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws {
        guard let range = TreeRange(from: lower, to: upper) else { return }
        if isDescending {
            try forEachDescending(range, body)
        } else {
            try forEachAscending(range, body)
        }
    }

    private func forEachAscending(
        _ range: TreeRange,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws {
        var reader = RunReader(place: place)
        var lower = range.lower
        let upperBorder = range.upper.map { KeyBytes.prefix($0, rule.borderLength) }
        let start = lower.map { edge(0, atOrAfter: $0) } ?? start(of: 0)
        try table.forEach(from: start, to: end(of: 0)) { rowKey, bytes in
            let isLast = holds(rowKey, upperBorder)
            var stopped = false
            try forEachEntry(
                of: bytes, with: &reader, from: lower, to: isLast ? range.upper : nil
            ) { key, head, tail in
                stopped = try !body(key, head, tail)
                return !stopped
            }
            lower = nil
            return !isLast && !stopped
        }
    }

    /// Whether the node with that row key is the last that can hold keys below one with that border.
    func holds(_ rowKey: Span<UInt8>, _ upperBorder: [UInt8]?) -> Bool {
        guard let upperBorder else { return false }
        return KeyBytes.compare(rowKey.extracting(1..<rowKey.count), upperBorder.span) >= 0
    }

    /// Gives out the entries of one run that are at least `lower` and below `upper`.
    func forEachEntry(
        of bytes: Span<UInt8>, with reader: inout RunReader, from lower: [UInt8]?,
        to upper: [UInt8]?,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws {
        try reader.begin(bytes)
        var hasBegun = lower == nil
        while try reader.next(in: bytes) {
            let key = reader.key.storage.span.extracting(0..<reader.key.count)
            if !hasBegun, let lower {
                guard KeyBytes.compare(key, lower.span) >= 0 else { continue }
                hasBegun = true
            }
            if let upper, KeyBytes.compare(key, upper.span) >= 0 { return }
            guard
                try body(key, bytes.extracting(reader.head), bytes.extracting(reader.tail))
            else { return }
        }
    }

    private func forEachDescending(
        _ range: TreeRange,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws {
        // The walk begins in the first run that is not below the upper end, if there is one.
        var start = end(of: 0)
        if let upper = range.upper {
            try table.forEach(from: edge(0, atOrAfter: upper), to: end(of: 0)) { rowKey, _ in
                start = .including(rowKey.rest(from: 0))
                return false
            }
        }
        var upper = range.upper
        var run = RunParts(place: place)
        let stop = range.lower.map { edge(0, atOrAfter: $0) } ?? self.start(of: 0)
        try table.forEach(from: stop, to: start, isDescending: true) { _, bytes in
            try run.take(bytes)
            let isInside = try run.forEachDescending(bytes, from: range.lower, to: upper, body)
            upper = nil
            return isInside
        }
    }
}

/// A run taken apart, to be read from its end; in memory that is used for the next run again.
private struct RunParts {
    private var reader: RunReader
    private var keys = ByteBuffer(capacity: 4096)
    private var parts: [(key: Range<Int>, head: Range<Int>, tail: Range<Int>)] = []

    init(place: String) {
        reader = RunReader(place: place)
    }

    mutating func take(_ bytes: Span<UInt8>) throws(IndexError) {
        keys.cut(to: 0)
        parts.removeAll(keepingCapacity: true)
        try reader.begin(bytes)
        while try reader.next(in: bytes) {
            let start = keys.count
            reader.appendKey(to: &keys)
            parts.append((start..<keys.count, reader.head, reader.tail))
        }
    }

    /// Gives out the entries from the last; false when one was below `lower` or `body` stopped.
    func forEachDescending(
        _ bytes: Span<UInt8>, from lower: [UInt8]?, to upper: [UInt8]?,
        _ body: (_ key: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Bool
    ) throws -> Bool {
        var index = parts.count
        while index > 0 {
            index -= 1
            let part = parts[index]
            let key = keys.storage.span.extracting(part.key)
            if let upper, KeyBytes.compare(key, upper.span) >= 0 { continue }
            if let lower, KeyBytes.compare(key, lower.span) < 0 { return false }
            guard try body(key, bytes.extracting(part.head), bytes.extracting(part.tail)) else {
                return false
            }
        }
        return true
    }
}
