import SettlePrimitives
import SettleStorage

extension SortedRun {
    /// Sorts runs together and cuts the result into blocks, each a run of its own.
    ///
    /// - Parameters:
    ///   - runs: Runs, later ones going before earlier ones where keys are equal.
    ///   - lengthMax: About how many bytes a block has; an entry is never cut.
    /// - Returns: The blocks, whose keys ascend from one to the next.
    /// - Throws: ``IndexError/corrupted(place:)`` when a run is damaged.
    static func blocks(of runs: [SortedRun], lengthMax: Int) throws -> [SortedRun] {
        var blocks: [SortedRun] = []
        var open = OpenRun()
        var merge = SortedRunMerge(runs, after: nil)
        _ = try merge.forEach(countMax: .max) { key, head, tail in
            open.append(key: key, head: head, tail: tail)
            if open.byteCount >= lengthMax { blocks.append(open.close()) }
        }
        if open.byteCount > 0 { blocks.append(open.close()) }
        return blocks
    }
}

/// A run that entries are added to, each with its whole key.
private struct OpenRun {
    private var writer = SortedRunWriter(capacity: 1 << 16)
    private var lastKey: [UInt8] = []
    private var lastHead: [UInt8]?
    private(set) var byteCount = 0

    mutating func append(key: Span<UInt8>, head: Span<UInt8>, tail: Span<UInt8>) {
        let shared = key.sharedCount(with: lastKey.span)
        let rest = key.extracting(shared..<key.count)
        writer.beginEntry(sharing: shared, restCount: rest.count)
        writer.append(rest: rest)
        if isLast(head) {
            writer.appendSameHead()
        } else {
            writer.append(head: head)
            lastHead = head.rest(from: 0)
            byteCount += head.count
        }
        writer.append(tail: tail)
        byteCount += rest.count + tail.count + 4
        lastKey.removeSubrange(shared...)
        for index in 0..<rest.count { lastKey.append(rest[index]) }
    }

    private func isLast(_ head: Span<UInt8>) -> Bool {
        guard let lastHead, lastHead.count == head.count else { return false }
        return lastHead.span.sharedCount(with: head) == head.count
    }

    mutating func close() -> SortedRun {
        let run = writer.finish()
        self = OpenRun()
        return run
    }
}
