import SettlePrimitives
import SettleStorage

extension QueryRunner {
    /// A row of an answer and its place.
    package typealias Item = (key: RowPosition, row: IndexRow)

    /// Reads rows of an answer from a place on.
    ///
    /// - Parameters:
    ///   - selection: The rows of the query; of the same definition as this runner.
    ///   - place: The row before the first one wanted; nil for the beginning.
    ///   - skip: How many rows to pass over from there.
    ///   - countMax: How many rows to read; nil for all.
    /// - Returns: The rows in order, fewer than `countMax` only at the end of the answer.
    /// - Throws: as ``run(_:)``.
    /// - Complexity: as ``run(_:)``.
    package func items(
        of selection: ObservedSelection, after place: RowPosition? = nil, skip: Int = 0,
        countMax: Int?
    ) throws -> [Item] {
        var room = countMax ?? .max
        guard room > 0 else { return [] }
        if selection.summary == .total {
            let key = RowPosition(segment: 0, bytes: [])
            guard place == nil, skip == 0, let row = try item(key, of: selection) else {
                return []
            }
            return [(key, row)]
        }
        var items: [Item] = []
        var toSkip = skip
        for segment in (place?.segment ?? 0)..<selection.segments.count where room > 0 {
            let after = segment == place?.segment ? place : nil
            let range = selection.rest(of: segment, after: after)
            if selection.summary == .rows {
                try addRows(
                    of: range, segment: segment, isDescending: selection.isDescending,
                    skipping: &toSkip, room: &room, to: &items)
            } else {
                try addGroups(
                    of: range, segment: segment, selection, skipping: &toSkip, room: &room,
                    to: &items)
            }
        }
        return items
    }

    /// Reads one row of an answer.
    ///
    /// - Returns: The row as it is now; nil when there is none at this place.
    /// - Throws: as ``run(_:)``.
    /// - Complexity: O(log n).
    package func item(_ key: RowPosition, of selection: ObservedSelection) throws -> IndexRow? {
        if selection.summary == .rows { return try row(at: key.bytes) }
        guard let reducer = definition.reducer else { return nil }
        if selection.summary == .total { return try total(of: selection.segments, reducer) }
        let range = KeyRange(prefix: key.bytes).intersection(selection.segments[key.segment])
        let group = try firstGroup(
            of: range, selection.summary, isDescending: selection.isDescending)
        return try group.map { try row(of: $0, reducer) }
    }

    private func row(at key: [UInt8]) throws -> IndexRow? {
        var pages = RowPageBuilder(definition.name, reserving: 1)
        var found: IndexRow?
        try rows.withEntry(for: key) { head, tail in
            try pages.add(key: key.span, head: head, tail: tail) { found = $0 }
        }
        pages.handOn { found = $0 }
        return found
    }

    private func addRows(
        of whole: KeyRange, segment: Int, isDescending: Bool, skipping toSkip: inout Int,
        room: inout Int, to items: inout [Item]
    ) throws {
        var range = whole
        guard !range.isEmpty,
            try RowQuery(rows, definition).skip(
                &toSkip, of: &range, isDescending: isDescending)
        else { return }
        var pages = RowPageBuilder(definition.name, reserving: room)
        var keys: [[UInt8]] = []
        var found: [IndexRow] = []
        var left = room
        try rows.forEach(from: range.lower, to: range.upper, isDescending: isDescending) {
            key, head, tail in
            keys.append(key.rest(from: 0))
            try pages.add(key: key, head: head, tail: tail) { found.append($0) }
            left -= 1
            return left > 0
        }
        pages.handOn { found.append($0) }
        room = left
        items.reserveCapacity(items.count + keys.count)
        for (key, row) in zip(keys, found) {
            items.append((RowPosition(segment: segment, bytes: key), row))
        }
    }

    private func addGroups(
        of range: KeyRange, segment: Int, _ selection: ObservedSelection,
        skipping toSkip: inout Int, room: inout Int, to items: inout [Item]
    ) throws {
        guard let reducer = definition.reducer else { return }
        try forEachGroup(
            of: range, selection.summary, isDescending: selection.isDescending
        ) { group in
            if toSkip > 0 {
                toSkip -= 1
                return true
            }
            items.append(
                (RowPosition(segment: segment, bytes: group.prefix), try row(of: group, reducer)))
            room -= 1
            return room > 0
        }
    }
}

extension ObservedSelection {
    /// The rows of a segment, as far as they come after a place.
    fileprivate func rest(of segment: Int, after place: RowPosition?) -> KeyRange {
        var range = segments[segment]
        guard let place else { return range }
        if isDescending {
            range.upper = place.bytes
        } else if summary == .rows {
            // No row key is the start of another.
            range.lower = place.bytes + [0]
        } else {
            range.lower = KeyRange(prefix: place.bytes).upper
        }
        return range
    }
}
