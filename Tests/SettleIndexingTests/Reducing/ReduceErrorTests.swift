import SettleDocuments
import SettleIndexing
import TestSupport
import Testing

/// What the built-in functions say about values that they cannot work with.
@Suite(.serialized) struct `Reduce errors` {
    private static let requirement =
        "The _sum function requires that map values be numbers, arrays of numbers, or objects. "
        + "Objects cannot be mixed with other data structures. Objects can be arbitrarily nested, "
        + "provided that the values for all fields are themselves numbers, arrays of numbers, or "
        + "objects."

    private func sumError(_ cause: JSONValue) -> JSONValue {
        .object([
            "error": "builtin_reduce_error", "reason": .string(Self.requirement),
            "caused_by": cause,
        ])
    }

    /// Both ways to one result: row by row, and each row a partial of its own.
    private func expect(
        _ kind: ReducerKind, _ values: [JSONValue?], gives expected: JSONValue,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try Reduction.result(kind, values) == expected, sourceLocation: location)
        #expect(try Reduction.mergedResult(kind, values) == expected, sourceLocation: location)
    }

    private func expect(
        _ kind: ReducerKind, _ values: [JSONValue?], failsWith reason: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: IndexError.reduceFailed(reason: reason), sourceLocation: location) {
            try Reduction.result(kind, values)
        }
        #expect(throws: IndexError.reduceFailed(reason: reason), sourceLocation: location) {
            try Reduction.mergedResult(kind, values)
        }
    }

    @Test func `what is no number makes an error of the sum`() throws {
        for cause: JSONValue in [.null, .bool(true), .string("seven")] {
            try expect(.sum, [cause], gives: sumError(cause))
            try expect(.sum, [.integer(1), cause, .integer(2)], gives: sumError(cause))
            try expect(.sum, [.array([]), cause, .string("later")], gives: sumError(cause))
            try expect(.sum, [.object([:]), cause], gives: sumError(cause))
            let object: JSONValue = .object(["a": .object(["b": cause])])
            try expect(.sum, [.object([:]), object], gives: sumError(cause))
        }
    }

    @Test func `what is no number in an array makes an error with the array`() throws {
        let array: JSONValue = .array([.integer(1), .string("x")])
        try expect(.sum, [.integer(1), array], gives: sumError(array))
        let nested: JSONValue = .array([.array([.integer(1)])])
        try expect(.sum, [nested], gives: sumError(nested))
    }

    @Test func `numbers and arrays after objects make an error of the sum`() throws {
        let object: JSONValue = .object(["a": .integer(1)])
        try expect(.sum, [object, .integer(4)], gives: sumError(.integer(4)))
        let array: JSONValue = .array([.integer(4)])
        try expect(.sum, [object, array], gives: sumError(array))
    }

    @Test func `objects after numbers and arrays fail`() {
        let object: JSONValue = .object(["a": .integer(1)])
        expect(.sum, [.integer(4), object], failsWith: Self.requirement)
        expect(.sum, [.integer(0), object, .string("x")], failsWith: Self.requirement)
        expect(.sum, [.array([.integer(4)]), object], failsWith: Self.requirement)
        expect(
            .sum, [object, .object(["a": object])], failsWith: Self.requirement)
    }

    @Test func `an error of an earlier sum travels on`() throws {
        let error: JSONValue = .object([
            "error": "builtin_reduce_error", "reason": "elsewhere", "caused_by": .integer(1),
        ])
        try expect(.sum, [.integer(1), error, .integer(1)], gives: error)
        try expect(.sum, [.object(["a": error])], gives: error)
    }

    @Test func `the cause of an error is cut short in partials`() throws {
        let text = String(repeating: "é", count: 10_000)
        let values: [JSONValue] = [
            .string(text), .array([.string(text)]),
            .object([
                "error": "builtin_reduce_error", "reason": .string(text), "more": .string(text),
            ]),
        ]
        for value in values {
            var reduction = try Reduction(.builtIn(.sum), rows: ReductionRow.rows([value]))
            #expect(try reduction.encoded().count < 2000)
            let error = try reduction.result()
            #expect(error.jsonText.contains("é…"))
            #expect(error.jsonText.utf8.count < 2000)
        }
    }

    @Test func `a sum of objects that grows with the rows overflows`() throws {
        let values: [JSONValue] = (0..<1000).map { .object(["member\($0)": .integer(1)]) }
        // An object counts 5, a member 1 and its name, a number 9.
        let names = (0..<1000).reduce(0) { $0 + "member\($1)".utf8.count }
        let error: JSONValue = .object([
            "error": "builtin_reduce_error",
            "reason": .string(
                "Reduce output must shrink more rapidly: input size: \(names + 15_000) "
                    + "output size: \(names + 10_005)"),
        ])
        try expect(.sum, values, gives: error)
    }

    @Test func `long arrays of one length are no overflow, alone or together`() throws {
        let array: JSONValue = .array((0..<2000).map { _ in .integer(60) })
        for count in 1...4 {
            let expected: JSONValue = .array((0..<2000).map { _ in .integer(60 * Int64(count)) })
            try expect(.sum, Array(repeating: array, count: count), gives: expected)
        }
    }

    @Test func `sums beyond the doubles fail`() throws {
        let reason =
            "The sum that the _sum function makes is beyond the range of numbers; emit smaller "
            + "numbers."
        let great: JSONValue = .double(.greatestFiniteMagnitude)
        expect(.sum, [great, great, .double(-1)], failsWith: reason)
        expect(.sum, [.array([great]), great], failsWith: reason)
        expect(.sum, [.object(["a": great]), .object(["a": great])], failsWith: reason)
        expect(
            .stats, [.double(1e200)],
            failsWith: "A sum that the _stats function makes is beyond the range of numbers; "
                + "emit smaller numbers.")
    }

    @Test func `statistics of what is no number fail`() {
        expect(.stats, [.string("x")], failsWith: "non-numeric _stats input: \"x\"")
        expect(.stats, [.array([.null])], failsWith: "non-numeric _stats input: null")
        let values: [JSONValue?] = [.integer(1), .bool(true)]
        #expect(
            throws: IndexError.reduceFailed(
                reason: "The _stats function requires that map values be numbers or arrays of "
                    + "numbers, not 'true'")
        ) { try Reduction.result(.stats, values) }
        // Alone in its partial, the value was the first.
        #expect(throws: IndexError.reduceFailed(reason: "non-numeric _stats input: true")) {
            try Reduction.mergedResult(.stats, values)
        }
        #expect(
            throws: IndexError.reduceFailed(
                reason: "The _stats function requires that map values be numbers or arrays of "
                    + "numbers, not '[1]'")
        ) { try Reduction.result(.stats, [.integer(1), .array([.integer(1)])]) }
        expect(
            .stats, [.array([.integer(1)]), .array([.integer(1), .integer(2)])],
            failsWith: "The _stats function requires that arrays of numbers have equal lengths, "
                + "not 1 and 2")
    }

    @Test func `objects with statistics are merged with numbers`() throws {
        let aggregated: JSONValue = .object([
            "sum": .integer(10), "count": .integer(3), "min": .integer(1), "max": .double(5.5),
            "sumsqr": .integer(40), "note": "ignored",
        ])
        let expected: JSONValue = .object([
            "sum": .integer(12), "count": .integer(4), "min": .integer(1), "max": .double(5.5),
            "sumsqr": .integer(44),
        ])
        try expect(.stats, [aggregated, .integer(2)], gives: expected)
        try expect(.stats, [.integer(2), aggregated], gives: expected)
    }

    @Test func `statistics that lack a member or hold another kind fail`() {
        expect(
            .stats, [.object(["count": .integer(1)])],
            failsWith: "user _stats input missing required field sum ({\"count\":1})")
        expect(
            .stats, [.object(["sum": .integer(1), "count": "x"])],
            failsWith: "non-numeric _stats input received for count: \"x\"")
    }

    @Test func `damaged rows are no reduce error`() throws {
        let damaged: [UInt8] = [0xFF]
        let null: [UInt8] = [0x80]
        let key: [UInt8] = [0x02]
        let none: [UInt8] = []
        for kind in [ReducerKind.sum, .stats, .min, .max] {
            var reduction = Reduction(.builtIn(kind))
            #expect(throws: IndexError.corrupted(place: "the value of a row")) {
                try reduction.add(key: key.span, head: null.span, tail: damaged.span)
            }
        }
        var distinct = Reduction(.builtIn(.approxCountDistinct))
        #expect(throws: IndexError.corrupted(place: "a row key")) {
            try distinct.add(key: damaged.span, head: null.span, tail: none.span)
        }
        var custom = Reduction(.custom { _, _, _ in .null })
        #expect(throws: IndexError.corrupted(place: "the value of a row")) {
            try custom.add(key: key.span, head: damaged.span, tail: none.span)
        }
    }
}
