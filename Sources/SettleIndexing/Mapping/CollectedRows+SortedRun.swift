import SettlePrimitives

extension CollectedRows {
    /// The rows, sorted by row key.
    func sortedRun() -> SortedRun {
        let (order, classes) = sortedRows()
        var writer = SortedRunWriter(
            capacity: values.count + rows.count * 16 + keys.packed.count + keys.collation.count)
        var last: (row: Row, keyClass: UInt32, number: Int)?
        for index in order {
            let row = rows[Int(index)]
            let keyClass = classes[Int(row.key)]
            if let before = last, before.keyClass == keyClass {
                let number = before.row.document == row.document ? before.number + 1 : 0
                appendRow(row, number: number, after: before.row, isSameKey: true, to: &writer)
                last = (row, keyClass, number)
            } else {
                appendRow(row, number: 0, after: last?.row, isSameKey: false, to: &writer)
                last = (row, keyClass, 0)
            }
            writer.append(tail: values.storage.span.extracting(valueRange(Int(index))))
        }
        return writer.finish()
    }

    /// Writes the key and the head of a row.
    @inline(__always)
    private func appendRow(
        _ row: Row, number: Int, after before: Row?, isSameKey: Bool,
        to writer: inout SortedRunWriter
    ) {
        let collation = keys.collationRange(Int(row.key))
        let id = idRange(Int(row.document))
        let rowNumber = RowNumber(number: number)
        let ids = ids.storage.span
        if isSameKey, let before {
            let sharedID =
                number > 0
                ? id.count
                : ids.extracting(id).sharedCount(
                    with: ids.extracting(idRange(Int(before.document))))
            let sharedNumber = number > 0 ? rowNumber.sharedCount : 0
            writer.beginEntry(
                sharing: collation.count &+ sharedID &+ sharedNumber,
                restCount: id.count &- sharedID &+ rowNumber.byteCount &- sharedNumber)
            writer.append(rest: ids.extracting(id.lowerBound &+ sharedID..<id.upperBound))
            writer.append(number: rowNumber, from: sharedNumber)
        } else {
            let bytes = keys.collation.storage.span
            let shared =
                before.map {
                    bytes.extracting(collation).sharedCount(
                        with: bytes.extracting(keys.collationRange(Int($0.key))))
                } ?? 0
            writer.beginEntry(
                sharing: shared,
                restCount: collation.count &- shared &+ id.count &+ rowNumber.byteCount)
            writer.append(
                rest: bytes.extracting(collation.lowerBound &+ shared..<collation.upperBound))
            writer.append(rest: ids.extracting(id))
            writer.append(number: rowNumber, from: 0)
        }
        if let before, before.key == row.key {
            writer.appendSameHead()
        } else {
            writer.append(
                head: keys.packed.storage.span.extracting(keys.packedRange(Int(row.key))))
        }
    }

    /// The rows in the order of their row keys, and for each key the number of its collation key.
    ///
    /// Rows come ordered by document and emit, so they only need to be dealt out, in that order, to
    /// the distinct collation keys.
    private func sortedRows() -> (order: [UInt32], classes: [UInt32]) {
        precondition(
            rows.count <= Int(UInt32.max), "A collector has more rows than it can number.")
        var counts = [UInt32](repeating: 0, count: keys.count)
        for row in rows { counts[Int(row.key)] &+= 1 }
        let used = counts.indices.lazy.filter { counts[$0] > 0 }.map { UInt32($0) }
        let sorted = KeyOrder.sorted(Array(used), of: keys)

        var classes = [UInt32](repeating: 0, count: keys.count)
        var nextPlaces: [UInt32] = []
        var place: UInt32 = 0
        for (index, key) in sorted.enumerated() {
            let isNew = index == 0 || !keys.isSame(Int(key), Int(sorted[index - 1]))
            if isNew { nextPlaces.append(place) }
            classes[Int(key)] = UInt32(nextPlaces.count - 1)
            place += counts[Int(key)]
        }
        var order = [UInt32](repeating: 0, count: rows.count)
        for index in rows.indices {
            let keyClass = Int(classes[Int(rows[index].key)])
            order[Int(nextPlaces[keyClass])] = UInt32(truncatingIfNeeded: index)
            nextPlaces[keyClass] &+= 1
        }
        return (order, classes)
    }
}
