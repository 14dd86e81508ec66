import SettleStorage

extension Segment {
    /// Sorts segments together and cuts the result into blocks, each a segment of its own.
    ///
    /// - Parameters:
    ///   - segments: Sorted segments, later ones going before earlier ones where keys are equal.
    ///   - lengthMax: About how many bytes a block has; an entry is never cut.
    /// - Returns: The blocks, whose keys ascend from one to the next.
    /// - Throws: ``IndexError/corrupted(place:)`` when a segment is damaged.
    static func blocks(of segments: [Segment], lengthMax: Int) throws -> [Segment] {
        var blocks: [Segment] = []
        var open = OpenSegment()
        var merge = SegmentMerge(segments, after: nil)
        _ = try merge.forEach(countMax: .max) { key, head, tail in
            open.append(key: key, head: head, tail: tail)
            if open.byteCount >= lengthMax { blocks.append(open.close()) }
        }
        if open.byteCount > 0 { blocks.append(open.close()) }
        return blocks
    }
}

/// A segment that entries are added to, each with its whole key.
private struct OpenSegment {
    private var writer = SegmentWriter(capacity: 1 << 16)
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

    mutating func close() -> Segment {
        let segment = writer.finish()
        self = OpenSegment()
        return segment
    }
}
