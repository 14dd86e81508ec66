import SettlePrimitives
import SettleStorage

extension CollectedRows {
    /// Walks the back pointers, ascending by id.
    func forEachPointer(
        _ body: (_ id: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Void
    ) rethrows {
        var tail = ByteBuffer()
        for index in documents.indices {
            let range = rowRange(index)
            tail.cut(to: 0)
            for row in range.dropFirst() {
                let key = keys.packedRange(Int(rows[row].key))
                tail.append(variable: key.count)
                tail.append(keys.packed.storage.span.extracting(key))
            }
            let head = keys.packedRange(Int(rows[range.lowerBound].key))
            try body(
                ids.storage.span.extracting(idRange(index)),
                keys.packed.storage.span.extracting(head),
                tail.storage.span.extracting(0..<tail.count))
        }
    }

    /// The back pointers, as a run.
    func pointerRun() -> SortedRun {
        var writer = SortedRunWriter(capacity: ids.count + rows.count * 8 + keys.packed.count)
        var document = 0
        forEachPointer { id, head, tail in
            var shared = 0
            var isSameHead = false
            if document > 0 {
                shared = ids.storage.span.extracting(idRange(document - 1)).sharedCount(with: id)
                isSameHead =
                    rows[documents[document - 1].rowStart].key
                    == rows[documents[document].rowStart].key
            }
            writer.beginEntry(sharing: shared, restCount: id.count - shared)
            writer.append(rest: id.extracting(shared..<id.count))
            if isSameHead { writer.appendSameHead() } else { writer.append(head: head) }
            writer.append(tail: tail)
            document += 1
        }
        return writer.finish()
    }

    /// The rows of the only document, ascending by row key, and its back pointer.
    func soleDocument() -> (rows: [TreeEntry], pointer: TreeEntry?) {
        var pointer: TreeEntry?
        forEachPointer { id, head, tail in
            pointer = TreeEntry(
                key: id.rest(from: 0), head: head.rest(from: 0), tail: tail.rest(from: 0))
        }
        let order = rows.indices.sorted { left, right in
            let (leftKey, rightKey) = (Int(rows[left].key), Int(rows[right].key))
            return keys.isSame(leftKey, rightKey)
                ? left < right : keys.precedes(leftKey, rightKey)
        }
        var entries: [TreeEntry] = []
        entries.reserveCapacity(order.count)
        var number = 0
        for (place, index) in order.enumerated() {
            let key = Int(rows[index].key)
            let isSame = place > 0 && keys.isSame(Int(rows[order[place - 1]].key), key)
            number = isSame ? number + 1 : 0
            var rowKey: [UInt8] = []
            IndexRowKey.append(
                collationKey: keys.collation.storage.span.extracting(keys.collationRange(key)),
                id: ids.storage.span.extracting(0..<ids.count), number: number, to: &rowKey)
            entries.append(
                TreeEntry(
                    key: rowKey, head: Array(keys.packed.storage[keys.packedRange(key)]),
                    tail: Array(values.storage[valueRange(index)])))
        }
        return (entries, pointer)
    }
}
