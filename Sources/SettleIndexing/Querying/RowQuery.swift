/// Answers a query with the rows of an index themselves.
struct RowQuery {
    /// Takes the key of a stored row, the packed emitted key, and the packed value, empty for none.
    typealias StoredRow =
        (_ key: Span<UInt8>, _ emitted: Span<UInt8>, _ value: Span<UInt8>) throws -> Void

    private let rows: SummaryTree
    private let definition: IndexDefinition

    init(_ rows: SummaryTree, _ definition: IndexDefinition) {
        self.rows = rows
        self.definition = definition
    }

    /// Runs a query; see ``QueryRunner/run(_:_:)``.
    ///
    /// - Throws: as ``QueryRunner/run(_:)``; what `take` throws.
    func run(
        _ query: IndexQuery, _ take: (consuming IndexRow) throws -> Void
    ) throws -> (totalRows: Int?, offset: Int?) {
        var pages = RowPageBuilder(definition.name, reserving: query.limit ?? .max)
        let found = try runStored(query) { key, head, tail in
            try pages.add(key: key, head: head, tail: tail, take)
        }
        try pages.handOn(take)
        return found
    }

    /// Hands on the rows as they are stored.
    ///
    /// - Returns: As ``run(_:_:)``.
    /// - Throws: as ``QueryRunner/run(_:)``; what `body` throws.
    func runStored(
        _ query: IndexQuery, _ body: StoredRow
    ) throws -> (totalRows: Int?, offset: Int?) {
        guard case .range(let start, let end) = query.selection else {
            try forEachStored(query, body)
            return (try rows.entryCount, nil)
        }
        let range = KeyRange(start: start, end: end, isDescending: query.isDescending, definition)
        if !query.isDescending, query.skip == 0, query.limit != 0 {
            return try rankedWalk(range, room: query.limit ?? .max, body)
        }
        let totalRows = try rows.entryCount
        try forEachStored(query, body)
        return (totalRows, try offset(of: range, query, totalRows: totalRows))
    }

    /// Hands on the rows as they are stored, and counts none of those before them.
    ///
    /// - Throws: as ``QueryRunner/run(_:)``; what `body` throws.
    func forEachStored(_ query: IndexQuery, _ body: StoredRow) throws {
        var toSkip = query.skip
        var room = query.limit ?? .max
        switch query.selection {
        case .range(let start, let end):
            let range = KeyRange(
                start: start, end: end, isDescending: query.isDescending, definition)
            try walk(range, query, skipping: &toSkip, room: &room, body)
        case .keys(let keys):
            for key in keys where room > 0 {
                let range = KeyRange(of: key, definition)
                try walk(range, query, skipping: &toSkip, room: &room, body)
            }
        }
    }

    /// Hands on the first rows of a range and tells of what stands before them on the way.
    private func rankedWalk(
        _ range: KeyRange, room: Int, _ body: StoredRow
    ) throws -> (totalRows: Int?, offset: Int?) {
        var left = room
        let found = try rows.forEachRanked(from: range.lower, to: range.upper) { key, head, tail in
            try body(key, head, tail)
            left -= 1
            return left > 0
        }
        return (found.entryCount, found.rank)
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
        _ body: StoredRow
    ) throws {
        var range = whole
        guard !range.isEmpty, room > 0,
            try skip(&toSkip, of: &range, isDescending: query.isDescending)
        else { return }
        var left = room
        try rows.forEach(from: range.lower, to: range.upper, isDescending: query.isDescending) {
            key, head, tail in
            try body(key, head, tail)
            left -= 1
            return left > 0
        }
        room = left
    }

    /// Moves the beginning of a range past the rows that are to be passed over.
    ///
    /// Answers false when none are left.
    func skip(
        _ toSkip: inout Int, of range: inout KeyRange, isDescending: Bool
    ) throws -> Bool {
        guard toSkip > 0 else { return true }
        let low = try range.lower.map { try rows.rank(of: $0) } ?? 0
        let high = try range.upper.map { try rows.rank(of: $0) } ?? rows.entryCount
        guard toSkip < high - low else {
            toSkip -= max(0, high - low)
            return false
        }
        if isDescending {
            range.upper = try rows.key(atRank: high - toSkip)
        } else {
            range.lower = try rows.key(atRank: low + toSkip)
        }
        toSkip = 0
        return true
    }
}
