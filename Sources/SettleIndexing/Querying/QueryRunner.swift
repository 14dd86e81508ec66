import SettleDocuments
import SettlePrimitives
package import SettleStorage

/// Answers a query from the rows of an index, and from the reductions stored above them.
package struct QueryRunner {
    let definition: IndexDefinition
    private(set) var rows: SummaryTree
    private let usesReductions: Bool

    /// A runner over what one slot holds.
    ///
    /// - Parameters:
    ///   - definition: The index.
    ///   - slot: Its slot.
    ///   - state: The state of the slot. When it was built from another definition, the rows are
    ///     what that one gave, and reductions are made anew from them.
    ///   - snapshot: Where to read.
    /// - Throws: ``IndexError/corrupted(place:)`` when the tables are missing; what the engine throws.
    package init(
        _ definition: IndexDefinition, slot: Int, state: IndexState, in snapshot: StoreSnapshot
    ) throws {
        usesReductions = state.hasReductions(of: definition)
        guard
            let rows = try IndexTables.rows(
                findingIn: snapshot, index: definition.name, slot: slot,
                reducer: usesReductions ? definition.reducer : nil)
        else { throw IndexError.corrupted(place: "the tables of index '\(definition.name)'") }
        self.definition = definition
        self.rows = rows
    }

    /// The same runner, with a counter of what it reads of the rows.
    package func counting(with counter: TreeReadCounter) -> QueryRunner {
        var runner = self
        runner.rows.counter = counter
        return runner
    }

    /// Runs a query.
    ///
    /// - Returns: The rows asked for, in order.
    /// - Throws: ``IndexError/corrupted(place:)``, ``IndexError/reduceFailed(reason:)``, ``StorageError``,
    ///   ``PackedError``.
    /// - Complexity: O(log n + k) for k rows returned; O(log n) for each row that sums up.
    package func run(_ query: IndexQuery) throws -> IndexResult {
        var answer = IndexResult()
        (answer.totalRows, answer.offset) = try run(query) { answer.rows.append($0) }
        return answer
    }

    /// Runs a query and hands on its rows one by one, which must not be written to meanwhile.
    ///
    /// - Returns: What ``IndexResult`` says beside its rows.
    /// - Throws: as ``run(_:)``; what `take` throws.
    package func run(
        _ query: IndexQuery, _ take: (consuming IndexRow) throws -> Void
    ) throws -> (totalRows: Int?, offset: Int?) {
        guard query.summary != .rows, let reducer = definition.reducer else {
            return try RowQuery(rows, definition).run(query, take)
        }
        if query.limit == 0 { return (nil, nil) }
        for row in try summedRows(query, reducer) { try take(row) }
        return (nil, nil)
    }

    /// Runs a query for rows and hands on each where it lies; nothing is made of it.
    ///
    /// - Parameters:
    ///   - query: The query; that it may sum up is not looked at.
    ///   - body: Gets the key of the row, for ``IndexRowKey/parts(of:)``, the packed emitted key, and
    ///     the packed value, which is empty when there is none. The spans are good during the call.
    /// - Throws: as ``run(_:)``; what `body` throws.
    /// - Complexity: O(log n + k) for k rows; those before them are not counted.
    package func forEachStoredRow(
        _ query: IndexQuery,
        _ body: (_ key: Span<UInt8>, _ emitted: Span<UInt8>, _ value: Span<UInt8>) throws -> Void
    ) throws {
        try RowQuery(rows, definition).forEachStored(query, body)
    }

    /// Runs a query for rows as ``forEachStoredRow(_:_:)`` does, and counts those before them.
    ///
    /// - Returns: What ``IndexResult`` says beside its rows.
    /// - Throws: as ``run(_:)``; what `body` throws.
    package func runStored(
        _ query: IndexQuery,
        _ body: (_ key: Span<UInt8>, _ emitted: Span<UInt8>, _ value: Span<UInt8>) throws -> Void
    ) throws -> (totalRows: Int?, offset: Int?) {
        try RowQuery(rows, definition).runStored(query, body)
    }

    // MARK: Rows that sum up

    private func summedRows(
        _ query: IndexQuery, _ reducer: IndexReducer
    ) throws -> [IndexRow] {
        let ranges: [KeyRange]
        switch query.selection {
        case .range(let start, let end):
            ranges = [
                KeyRange(
                    start: start, end: end, isDescending: query.isDescending, definition)
            ]
        case .keys(let keys):
            ranges = keys.map { KeyRange(of: $0, definition) }
        }
        var result = Groups(skip: query.skip, limit: query.limit)
        if query.summary == .total {
            if let row = try total(of: ranges, reducer) { try result.add { row } }
            return result.rows
        }
        for range in ranges where !result.isFull {
            try forEachGroup(of: range, query.summary, isDescending: query.isDescending) { group in
                try result.add { try row(of: group, reducer) }
                return !result.isFull
            }
        }
        return result.rows
    }

    /// The row over everything in some ranges; nil when there is nothing in them.
    func total(of ranges: [KeyRange], _ reducer: IndexReducer) throws -> IndexRow? {
        guard let value = try value(of: ranges, reducer) else { return nil }
        return IndexRow(documentID: nil, key: nil, value: value)
    }

    /// Rows that are summed up together.
    struct Group {
        /// What their row keys have in common.
        let prefix: [UInt8]
        /// The key that is shown.
        let key: JSONValue
        /// The rows themselves, as far as they are asked for.
        let range: KeyRange
    }

    /// Walks the groups of a range, without summing up; the body answers false to stop.
    func forEachGroup(
        of whole: KeyRange, _ summary: IndexQuery.Summary, isDescending: Bool,
        _ body: (Group) throws -> Bool
    ) throws {
        var rest = whole
        while let group = try firstGroup(of: rest, summary, isDescending: isDescending),
            try body(group)
        {
            if isDescending {
                rest.upper = group.prefix
            } else {
                rest.lower = KeyRange(prefix: group.prefix).upper
            }
        }
    }

    /// The row that sums up a group.
    func row(of group: Group, _ reducer: IndexReducer) throws -> IndexRow {
        guard let value = try value(of: [group.range], reducer) else { throw corrupted }
        return IndexRow(documentID: nil, key: group.key, value: value)
    }

    /// The group of the first row of a range; nil in an empty one.
    func firstGroup(
        of range: KeyRange, _ summary: IndexQuery.Summary, isDescending: Bool
    ) throws -> Group? {
        guard !range.isEmpty else { return nil }
        var found: Group?
        try rows.forEach(from: range.lower, to: range.upper, isDescending: isDescending) {
            key, head, _ in
            guard let length = summary.groupLength(of: key) else { throw corrupted }
            let emitted = try PackedView(head).value()
            let prefix = key.extracting(0..<length).rest(from: 0)
            found = Group(
                prefix: prefix, key: groupKey(of: emitted, summary),
                range: KeyRange(prefix: prefix).intersection(range))
            return false
        }
        return found
    }

    private func groupKey(of key: JSONValue, _ summary: IndexQuery.Summary) -> JSONValue {
        if case .firstElements(let count) = summary, case .array(let elements) = key {
            return .array(Array(elements.prefix(count)))
        }
        return key
    }

    /// What all rows of some ranges together sum up to; nil when there are none.
    private func value(of ranges: [KeyRange], _ reducer: IndexReducer) throws -> JSONValue? {
        let isDirect = try isSmall(ranges, reducer)
        var reduction = Reduction(reducer, isDirect: isDirect)
        for range in ranges where !range.isEmpty {
            if usesReductions, !isDirect {
                _ = try rows.reduce(from: range.lower, to: range.upper, into: &reduction)
            } else {
                try add(range, to: &reduction)
            }
        }
        return reduction.isEmpty ? nil : try reduction.result()
    }

    /// Whether a function of the application is given the rows of some ranges directly.
    ///
    /// The built-in functions give the same by parts.
    private func isSmall(_ ranges: [KeyRange], _ reducer: IndexReducer) throws -> Bool {
        guard reducer.kind == nil else { return false }
        var count = 0
        for range in ranges where !range.isEmpty {
            count += try rows.count(from: range.lower, to: range.upper)
            if count > IndexReducer.directRowCountMax { return false }
        }
        return true
    }

    private func add(_ range: KeyRange, to reduction: inout Reduction) throws {
        var local = reduction
        try rows.forEach(from: range.lower, to: range.upper, isDescending: false) {
            key, head, tail in
            try local.add(key: key, head: head, tail: tail)
            return true
        }
        reduction = local
    }

    private var corrupted: IndexError { .corrupted(place: "rows of index '\(definition.name)'") }
}

/// Takes in rows that sum up, as far as they are asked for.
private struct Groups {
    private(set) var rows: [IndexRow] = []
    private var toSkip: Int
    private let limit: Int?

    init(skip: Int, limit: Int?) {
        toSkip = skip
        self.limit = limit
    }

    var isFull: Bool { limit.map { rows.count >= $0 } ?? false }

    /// Adds a row; one that is passed over is not made.
    mutating func add(_ make: () throws -> IndexRow) throws {
        if toSkip > 0 {
            toSkip -= 1
        } else {
            rows.append(try make())
        }
    }
}
