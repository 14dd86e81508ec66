import Settle

extension OutboxTable {
    /// The operations about a document, in order.
    ///
    /// - Complexity: Linear in their number.
    func keys(ofDocument id: String) throws -> [OperationKey] {
        var keys: [OperationKey] = []
        let prefix = OutboxRowKey.documents(id)
        try forEach(of: prefix) { bytes, _ in
            // A longer rest is that of another document, whose identifier goes on with a NUL.
            if let key = OperationKey(bytes.dropFirst(prefix.count)) { keys.append(key) }
            return true
        }
        return keys.sorted()
    }

    /// The first operation about a document from a place in the order on; nil when there is none.
    ///
    /// - Complexity: O(log n) page reads.
    func firstKey(ofDocument id: String, from place: OperationKey? = nil) throws -> OperationKey? {
        let prefix = OutboxRowKey.documents(id)
        var start = prefix + (place?.bytes ?? [])
        while let bytes = try firstKey(of: prefix, from: start) {
            if let key = OperationKey(bytes.dropFirst(prefix.count)) { return key }
            start = bytes + [0]
        }
        return nil
    }

    /// The last operation of a pipeline about a document; nil when there is none.
    ///
    /// - Complexity: O(log n) looks of O(log n) page reads: a table is not read backwards.
    func lastKey(ofDocument id: String, of pipeline: UInt32) throws -> OperationKey? {
        try LastKeySearch(pipeline: pipeline).last { place in
            try firstKey(ofDocument: id, from: place)
        }
    }
}

/// Finds the last of some keys where one can only ask for the first from a place on.
struct LastKeySearch {
    /// The keys are of that pipeline; others may be asked for and do not count.
    let pipeline: UInt32

    /// The last key.
    ///
    /// - Parameter first: The first key from a place on.
    /// - Returns: The key; nil when there is none.
    /// - Throws: What `first` throws.
    func last(_ first: (OperationKey) throws -> OperationKey?) rethrows -> OperationKey? {
        let start = OperationKey(pipeline: pipeline, graph: 0, number: 0)
        guard let found = try own(first(start)) else { return nil }
        let graph = try last(from: found, by: \.graph) { graph in
            try first(OperationKey(pipeline: pipeline, graph: graph, number: 0))
        }
        return try last(from: graph, by: \.number) { number in
            try first(OperationKey(pipeline: pipeline, graph: graph.graph, number: number))
        }
    }

    /// Goes on from a key by steps that are doubled, until there is no more, and then halves what is left.
    private func last(
        from key: OperationKey, by part: KeyPath<OperationKey, UInt64>,
        _ first: (UInt64) throws -> OperationKey?
    ) rethrows -> OperationKey {
        var (last, step) = (key, UInt64(1))
        // There is no key from here on.
        var end: UInt64?
        while true {
            let low = last[keyPath: part]
            if low == .max { return last }
            let place: UInt64
            if let end {
                if end - low <= 1 { return last }
                place = low + (end - low) / 2
            } else {
                let (sum, overflows) = low.addingReportingOverflow(step)
                place = overflows ? .max : sum
            }
            if let found = try own(first(place)) {
                last = found
                step = min(step, .max / 2) * 2
            } else {
                end = place
            }
        }
    }

    private func own(_ key: OperationKey?) -> OperationKey? {
        key.flatMap { $0.pipeline == pipeline ? $0 : nil }
    }
}
