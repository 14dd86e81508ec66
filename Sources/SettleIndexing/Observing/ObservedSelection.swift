import SettleDocuments

/// Which rows of an answer a changed row of the index belongs to.
///
/// The answer to a query is seen as a list of items, each with an ``RowPosition``: rows, groups, or the
/// one row over everything. What is passed over and where the answer ends is not looked at.
package struct ObservedSelection: Sendable {
    /// The ranges of row keys, one for each segment.
    let segments: [KeyRange]
    let summary: IndexQuery.Summary
    /// True when the items of a segment descend.
    package let isDescending: Bool
    /// The segments of each key of a list; nil for a range.
    private let segmentsByKey: [[UInt8]: [Int]]?

    /// True when the items are reductions, which may fail where nobody has asked for them.
    package var isReduced: Bool { summary != .rows }

    /// The items of a query.
    package init(_ query: IndexQuery, _ definition: IndexDefinition) {
        isDescending = query.isDescending
        summary = definition.reducer == nil ? .rows : query.summary
        switch query.selection {
        case .range(let start, let end):
            segments = [
                KeyRange(start: start, end: end, isDescending: query.isDescending, definition)
            ]
            segmentsByKey = nil
        case .keys(let keys):
            segments = keys.map { KeyRange(of: $0, definition) }
            var byKey: [[UInt8]: [Int]] = [:]
            for (number, segment) in segments.enumerated() {
                byKey[segment.lower ?? [], default: []].append(number)
            }
            segmentsByKey = byKey
        }
    }

    /// The items that may be different when a row is.
    ///
    /// - Parameter rowKey: The key of a row of the index.
    /// - Returns: None when the row is not among those the query is about.
    /// - Throws: ``IndexError/corrupted(place:)`` when the bytes are no row key.
    package func items(ofRow rowKey: [UInt8]) throws -> [RowPosition] {
        guard let segmentsByKey else {
            guard segments[0].contains(rowKey) else { return [] }
            return [try item(ofRow: rowKey, segment: 0)]
        }
        guard let end = CollationKey.end(in: rowKey.span, at: 0) else { throw Self.damage }
        guard let numbers = segmentsByKey[Array(rowKey[..<end])] else { return [] }
        // Everything is one row, whichever key of the list it comes from.
        if summary == .total { return [RowPosition(segment: 0, bytes: [])] }
        return try numbers.map { try item(ofRow: rowKey, segment: $0) }
    }

    private func item(ofRow rowKey: [UInt8], segment: Int) throws -> RowPosition {
        switch summary {
        case .rows:
            return RowPosition(segment: segment, bytes: rowKey)
        case .total:
            return RowPosition(segment: 0, bytes: [])
        case .exactKeys, .firstElements:
            guard let length = summary.groupLength(of: rowKey.span) else { throw Self.damage }
            return RowPosition(segment: segment, bytes: Array(rowKey[..<length]))
        }
    }

    private static var damage: IndexError { .corrupted(place: "the key of an index row") }
}
