import SettleDocuments
import SettleIndexing
import TestSupport

/// A row as the tree gives it to a reduction.
struct ReductionRow {
    let key: [UInt8]
    let head: [UInt8]
    let tail: [UInt8]

    init(_ key: JSONValue, _ value: JSONValue?, document: Int = 0) throws {
        self.key = Collator(.unicode).key(for: key) + Array("document\(document)".utf8) + [0, 0]
        head = try PackedValue(key).bytes
        tail = try value.map { try PackedValue($0).bytes } ?? []
    }

    /// A row without a value, made without more ado than is needed to count its key.
    init(number: Int64, document: Int) {
        key = Collator(.raw).key(for: .integer(number)) + [UInt8(document & 0x7F | 0x40), 0, 0]
        head = [0x80]
        tail = []
    }

    /// Rows with these values under the keys 0, 1, 2 and so on.
    static func rows(_ values: [JSONValue?]) throws -> [ReductionRow] {
        try values.enumerated().map { try ReductionRow(.integer(Int64($0.offset)), $0.element) }
    }
}

extension Reduction {
    mutating func add(_ row: ReductionRow) throws {
        try add(key: row.key.span, head: row.head.span, tail: row.tail.span)
    }

    mutating func merge(stored partial: [UInt8]) throws {
        try merge(partial.span)
    }

    mutating func merge(partialOf other: inout Reduction) throws {
        let partial = try other.encoded()
        try merge(partial.span)
    }

    /// The reduction of rows, one after another.
    init(_ reducer: IndexReducer, rows: some Sequence<ReductionRow>) throws {
        self.init(reducer)
        for row in rows { try add(row) }
    }

    /// The reduction of rows of which some were parted into partials, and these into partials.
    init(
        _ reducer: IndexReducer, rows: ArraySlice<ReductionRow>, depth: Int = 4,
        using generator: inout SeededGenerator
    ) throws {
        self.init(reducer)
        var rest = rows
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...max(1, rows.count), using: &generator))
            rest = rest.dropFirst(part.count)
            if depth > 0, Bool.random(using: &generator) {
                var inner = try Reduction(
                    reducer, rows: part, depth: depth - 1, using: &generator)
                try merge(partialOf: &inner)
            } else {
                for row in part { try add(row) }
            }
            // What was encoded can be gone on with.
            if Int.random(in: 0..<8, using: &generator) == 0 { _ = try encoded() }
        }
    }

    /// What comes out of rows with these values.
    static func result(_ kind: ReducerKind, _ values: [JSONValue?]) throws -> JSONValue {
        var reduction = try Reduction(.builtIn(kind), rows: ReductionRow.rows(values))
        return try reduction.result()
    }

    /// What comes out when each value is a partial of its own.
    static func mergedResult(_ kind: ReducerKind, _ values: [JSONValue?]) throws -> JSONValue {
        var whole = Reduction(.builtIn(kind))
        for row in try ReductionRow.rows(values) {
            var single = try Reduction(.builtIn(kind), rows: [row])
            try whole.merge(partialOf: &single)
        }
        return try whole.result()
    }
}
