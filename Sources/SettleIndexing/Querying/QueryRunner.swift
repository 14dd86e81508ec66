import SettleDocuments
package import SettleStorage

/// Answers a query from the rows of an index, and from the reductions stored above them.
package struct QueryRunner {
    private let definition: ViewDefinition
    private let rows: RunTable
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
        _ definition: ViewDefinition, slot: Int, state: IndexState, in snapshot: StoreSnapshot
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

    /// Runs a query.
    ///
    /// - Returns: The rows asked for, in order.
    /// - Throws: ``IndexError/corrupted(place:)``, ``IndexError/reduceFailed(reason:)``, ``StorageError``,
    ///   ``PackedError``.
    /// - Complexity: O(log n + k) for k rows returned; O(log n) for each row that sums up.
    package func run(_ query: IndexQuery) throws -> IndexAnswer {
        var answer = IndexAnswer()
        (answer.totalRows, answer.offset) = try run(query) { answer.rows.append($0) }
        return answer
    }

    /// Runs a query and hands on each row as it comes, which must not be written to meanwhile.
    ///
    /// - Returns: What ``IndexAnswer`` says beside its rows.
    /// - Throws: as ``run(_:)``; what `take` throws.
    package func run(
        _ query: IndexQuery, _ take: (consuming IndexRow) throws -> Void
    ) throws -> (totalRows: Int?, offset: Int?) {
        guard query.summary != .rows, let reducer = definition.reducer else {
            return try plainAnswer(query, take)
        }
        if query.limit == 0 { return (nil, nil) }
        for row in try summedRows(query, reducer) { try take(row) }
        return (nil, nil)
    }

    // MARK: Rows

    private func plainAnswer(
        _ query: IndexQuery, _ take: (consuming IndexRow) throws -> Void
    ) throws -> (totalRows: Int?, offset: Int?) {
        let totalRows = try rows.entryCount
        var offset: Int?
        var toSkip = query.skip
        var room = query.limit ?? .max
        switch query.selection {
        case .range(let start, let end):
            let range = KeyRange(
                start: start, end: end, isDescending: query.isDescending, definition)
            offset = try self.offset(of: range, query, totalRows: totalRows)
            try walk(range, query, skipping: &toSkip, room: &room, take)
        case .keys(let keys):
            for key in keys where room > 0 {
                try walk(
                    KeyRange(of: key, definition), query, skipping: &toSkip, room: &room, take)
            }
        }
        return (totalRows, offset)
    }

    /// How many rows stand before those that are returned, as CouchDB counts them: those passed
    /// over count too.
    private func offset(
        of range: KeyRange, _ query: IndexQuery, totalRows: Int
    ) throws -> Int {
        let before: Int
        if query.isDescending {
            before = try range.upper.map { totalRows - (try rows.rank(of: $0)) } ?? 0
        } else {
            before = try range.lower.map { try rows.rank(of: $0) } ?? 0
        }
        return before + min(query.skip, totalRows - before)
    }

    /// Hands on the rows of a range, as many as there is room for.
    private func walk(
        _ whole: KeyRange, _ query: IndexQuery, skipping toSkip: inout Int, room: inout Int,
        _ take: (consuming IndexRow) throws -> Void
    ) throws {
        var range = whole
        guard !range.isEmpty, room > 0, try skip(&toSkip, of: &range, query) else { return }
        var reader = RowReader(definition.name)
        var left = room
        try rows.forEach(from: range.lower, to: range.upper, isDescending: query.isDescending) {
            key, head, tail in
            try take(try reader.row(key: key, head: head, tail: tail))
            left -= 1
            return left > 0
        }
        room = left
    }

    /// Moves the beginning of a range past the rows that are to be passed over.
    ///
    /// Answers false when none are left.
    private func skip(
        _ toSkip: inout Int, of range: inout KeyRange, _ query: IndexQuery
    ) throws -> Bool {
        guard toSkip > 0 else { return true }
        let low = try range.lower.map { try rows.rank(of: $0) } ?? 0
        let high = try range.upper.map { try rows.rank(of: $0) } ?? rows.entryCount
        guard toSkip < high - low else {
            toSkip -= max(0, high - low)
            return false
        }
        if query.isDescending {
            range.upper = try rows.key(atRank: high - toSkip)
        } else {
            range.lower = try rows.key(atRank: low + toSkip)
        }
        toSkip = 0
        return true
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
            var reduction = Reduction(reducer)
            var count = 0
            for range in ranges { count += try reduce(range, into: &reduction) }
            if count > 0 {
                try result.add {
                    IndexRow(documentID: nil, key: nil, value: try reduction.result())
                }
            }
            return result.rows
        }
        for range in ranges {
            try addGroups(of: range, query, reducer, to: &result)
            if result.isFull { break }
        }
        return result.rows
    }

    private func addGroups(
        of whole: KeyRange, _ query: IndexQuery, _ reducer: IndexReducer, to result: inout Groups
    ) throws {
        var rest = whole
        while !result.isFull, let (group, key) = try firstGroup(of: rest, query) {
            try result.add {
                var part = group
                if let lower = rest.lower, let start = part.lower,
                    start.lexicographicallyPrecedes(lower)
                {
                    part.lower = lower
                }
                if let upper = rest.upper, let end = part.upper,
                    upper.lexicographicallyPrecedes(end)
                {
                    part.upper = upper
                }
                var reduction = Reduction(reducer)
                _ = try reduce(part, into: &reduction)
                return IndexRow(documentID: nil, key: key, value: try reduction.result())
            }
            if query.isDescending { rest.upper = group.lower } else { rest.lower = group.upper }
            if rest.isEmpty { return }
        }
    }

    /// The group of the first row of a range, in the direction of the query, and its key.
    private func firstGroup(
        of range: KeyRange, _ query: IndexQuery
    ) throws -> (range: KeyRange, key: JSONValue)? {
        guard !range.isEmpty else { return nil }
        var found: (range: KeyRange, key: JSONValue)?
        try rows.forEach(from: range.lower, to: range.upper, isDescending: query.isDescending) {
            key, head, _ in
            guard let length = groupLength(of: key, query.summary) else { throw corrupted }
            let emitted = try PackedView(head).value()
            found = (
                KeyRange(prefix: key.extracting(0..<length).rest(from: 0)),
                groupKey(of: emitted, query.summary)
            )
            return false
        }
        return found
    }

    /// How many bytes the row keys of the row's group have in common.
    private func groupLength(of key: Span<UInt8>, _ summary: IndexQuery.Summary) -> Int? {
        if case .firstElements(let count) = summary,
            let length = CollationKey.groupLength(of: key, elements: count)
        {
            return length
        }
        return CollationKey.end(in: key, at: 0)
    }

    private func groupKey(of key: JSONValue, _ summary: IndexQuery.Summary) -> JSONValue {
        if case .firstElements(let count) = summary, case .array(let elements) = key {
            return .array(Array(elements.prefix(count)))
        }
        return key
    }

    private func reduce(_ range: KeyRange, into reduction: inout Reduction) throws -> Int {
        if range.isEmpty { return 0 }
        if usesReductions {
            return try rows.reduce(from: range.lower, to: range.upper, into: &reduction)
        }
        var count = 0
        var local = reduction
        try rows.forEach(from: range.lower, to: range.upper, isDescending: false) {
            key, head, tail in
            try local.add(key: key, head: head, tail: tail)
            count += 1
            return true
        }
        reduction = local
        return count
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
