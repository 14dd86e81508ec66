import SettleDocuments
import SettleIndexing
import TestSupport
import Testing

/// The built-in functions against folds over all values at once, the rows grouped at random.
@Suite(.serialized) struct `Built-in reductions against an oracle` {
    @Test func `the sum of integers is exact however rows are grouped`() throws {
        var generator = SeededGenerator(seed: 0x51)
        for round in 0..<400 {
            let values: [Int64?] = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: nil
                case 1: .max
                case 2: .min
                case 3...5: .random(in: .min ... .max, using: &generator)
                default: .random(in: -1000...1000, using: &generator)
                }
            }
            let sum = values.compactMap { $0 }.reduce(Int128(0)) { $0 + Int128($1) }
            let expected = Int64(exactly: sum).map(JSONValue.integer) ?? .double(Double(sum))
            let rows = try ReductionRow.rows(values.map { $0.map(JSONValue.integer) })
            var reduction = try Reduction(
                .builtIn(.sum), rows: rows[...], using: &generator)
            #expect(try reduction.result() == expected, "\(generator), round \(round)")
        }
    }

    @Test func `partials of integers are the same bytes however rows are grouped`() throws {
        var generator = SeededGenerator(seed: 0x52)
        for kind in ReducerKind.allCases {
            for round in 0..<60 {
                let values: [JSONValue?] = (0..<Int.random(in: 1...60, using: &generator)).map {
                    _ in
                    Int.random(in: 0..<6, using: &generator) == 0
                        ? nil : .integer(.random(in: .min ... .max, using: &generator))
                }
                let rows = try ReductionRow.rows(values)
                var plain = try Reduction(.builtIn(kind), rows: rows)
                var grouped = try Reduction(.builtIn(kind), rows: rows[...], using: &generator)
                #expect(
                    try plain.encoded() == grouped.encoded(),
                    "\(kind), \(generator), round \(round)")
            }
        }
    }

    @Test func `sums of doubles and integers agree to the last digits`() throws {
        var generator = SeededGenerator(seed: 0x53)
        for round in 0..<400 {
            let values: [JSONValue] = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? .integer(.random(in: -1_000_000...1_000_000, using: &generator))
                    : .double(.random(in: -1e9...1e9, using: &generator))
            }
            let numbers = values.compactMap(\.doubleValue)
            let scale = numbers.reduce(1) { $0 + abs($1) }
            let rows = try ReductionRow.rows(values)
            var reduction = try Reduction(.builtIn(.sum), rows: rows[...], using: &generator)
            let sum = try #require(try reduction.result().doubleValue)
            #expect(
                abs(sum - numbers.reduce(0, +)) <= 1e-12 * scale, "\(generator), round \(round)")
        }
    }

    @Test func `what cancels out leaves nothing behind`() throws {
        #expect(
            try Reduction.result(.sum, [.double(1e100), .double(1), .double(-1e100)]) == .double(1))
        let tenths = [JSONValue](repeating: .double(0.1), count: 10)
        #expect(try Reduction.result(.sum, tenths) == .double(1))
        #expect(try Reduction.mergedResult(.sum, tenths) == .double(1))
    }

    /// The sum of small trees, one member after another.
    private func sum(_ left: JSONValue, _ right: JSONValue) -> JSONValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): .integer(left + right)
        case (.array(let left), .array(let right)):
            .array(
                (0..<max(left.count, right.count)).map { index in
                    sum(
                        index < left.count ? left[index] : .integer(0),
                        index < right.count ? right[index] : .integer(0))
                })
        case (.array, .integer): sum(left, .array([right]))
        case (.integer, .array): sum(.array([left]), right)
        case (.object(let left), .object(let right)):
            .object(left.merging(right, uniquingKeysWith: sum))
        default: .null
        }
    }

    private func summand(_ depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        var members: [String: JSONValue] = [:]
        // A member of this name has always values of this kind.
        for name in ["a", "bc", "é", "deep", "list"] where Bool.random(using: &generator) {
            switch name {
            case "deep": if depth > 0 { members[name] = summand(depth - 1, &generator) }
            case "list": members[name] = list(&generator)
            default: members[name] = .integer(.random(in: -99...99, using: &generator))
            }
        }
        return .object(members)
    }

    private func list(_ generator: inout SeededGenerator) -> JSONValue {
        if Int.random(in: 0..<4, using: &generator) == 0 {
            return .integer(.random(in: -99...99, using: &generator))
        }
        return .array(
            (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                .integer(.random(in: -99...99, using: &generator))
            })
    }

    @Test func `arrays and objects are added place by place`() throws {
        var generator = SeededGenerator(seed: 0x54)
        for round in 0..<150 {
            let isObject = Bool.random(using: &generator)
            let values = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                isObject ? summand(3, &generator) : list(&generator)
            }
            let expected = values.dropFirst().reduce(values[0], sum)
            let rows = try ReductionRow.rows(values)
            var reduction = try Reduction(.builtIn(.sum), rows: rows[...], using: &generator)
            #expect(try reduction.result() == expected, "\(generator), round \(round)")
        }
    }

    @Test func `statistics agree with those over all values at once`() throws {
        var generator = SeededGenerator(seed: 0x55)
        for round in 0..<300 {
            let numbers = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                Int64.random(in: -1_000_000...1_000_000, using: &generator)
            }
            let expected: JSONValue = .object([
                "sum": .integer(numbers.reduce(0, +)), "count": .integer(Int64(numbers.count)),
                "min": .integer(numbers.min() ?? 0), "max": .integer(numbers.max() ?? 0),
                "sumsqr": .integer(numbers.reduce(0) { $0 + $1 * $1 }),
            ])
            let isArray = Bool.random(using: &generator)
            let rows = try ReductionRow.rows(
                numbers.map { isArray ? .array([.integer($0), .integer($0)]) : .integer($0) })
            var reduction = try Reduction(.builtIn(.stats), rows: rows[...], using: &generator)
            #expect(
                try reduction.result() == (isArray ? .array([expected, expected]) : expected),
                "\(generator), round \(round)")
        }
    }

    @Test func `squares of the greatest integers are added exactly`() throws {
        var generator = SeededGenerator(seed: 0x56)
        let values = [JSONValue](repeating: .integer(.min), count: 1000) + [.integer(3)]
        var plain = try Reduction(.builtIn(.stats), rows: ReductionRow.rows(values))
        var grouped = try Reduction(
            .builtIn(.stats), rows: ReductionRow.rows(values)[...], using: &generator)
        #expect(try plain.encoded() == grouped.encoded())
        guard case .object(let members) = try plain.result() else {
            Issue.record("The statistics are no object.")
            return
        }
        #expect(members["sumsqr"] == .double(1000 * 0x1p126))
        #expect(members["sum"] == .double(-1000 * 0x1p63))
    }

    private let texts: [JSONValue] = ["a", "A", "á", "a\u{301}", "b", "", "ab", "a\u{200B}b"]

    private func anything(_ depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .integer(.random(in: -3...3, using: &generator))
        case 3: .double(Double(Int.random(in: -6...6, using: &generator)) / 2)
        case 4: .integer(Int64(1) << 53 + .random(in: 0...3, using: &generator))
        case 5: .double(0x1p53 + 2 * Double(Int.random(in: 0...1, using: &generator)))
        case 6: texts.randomElement(using: &generator) ?? .null
        case 7:
            .array((0..<2).map { _ in anything(depth - 1, &generator) })
        default: .object(["a": anything(depth - 1, &generator)])
        }
    }

    @Test(arguments: [ReducerKind.min, .max])
    func `the first of the extreme values is the result`(_ kind: ReducerKind) throws {
        var generator = SeededGenerator(seed: 0x57)
        let collator = Collator(.unicode)
        for round in 0..<500 {
            let values: [JSONValue?] = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                Int.random(in: 0..<8, using: &generator) == 0 ? nil : anything(2, &generator)
            }
            var expected: JSONValue?
            for value in values.compactMap({ $0 }) {
                guard let best = expected else {
                    expected = value
                    continue
                }
                let (left, right) = (collator.key(for: value), collator.key(for: best))
                let isBetter =
                    kind == .min
                    ? left.lexicographicallyPrecedes(right) : right.lexicographicallyPrecedes(left)
                if isBetter { expected = value }
            }
            let rows = try ReductionRow.rows(values)
            var reduction = try Reduction(.builtIn(kind), rows: rows[...], using: &generator)
            #expect(try reduction.result() == expected ?? .null, "\(generator), round \(round)")
        }
    }

    @Test func `every row counts, with a value or without`() throws {
        var generator = SeededGenerator(seed: 0x58)
        for count in [1, 2, 63, 64, 127, 128, 129, 1000] {
            let rows = try ReductionRow.rows(
                (0..<count).map { [nil, .null, .string("x")][$0 % 3] })
            var reduction = try Reduction(.builtIn(.count), rows: rows[...], using: &generator)
            #expect(try reduction.result() == .integer(Int64(count)))
        }
    }

    @Test func `rows without a value are passed over`() throws {
        #expect(try Reduction.result(.sum, [nil, .integer(2), nil]) == .integer(2))
        #expect(try Reduction.mergedResult(.sum, [nil, .integer(2), nil]) == .integer(2))
        for values: [JSONValue?] in [[nil], [nil, nil, nil]] {
            for result in [Reduction.result, Reduction.mergedResult] {
                #expect(try result(.sum, values) == .integer(0))
                #expect(try result(.stats, values) == .null)
                #expect(try result(.min, values) == .null)
                #expect(try result(.max, values) == .null)
                #expect(try result(.count, values) == .integer(Int64(values.count)))
            }
        }
    }

    @Test func `a reduction that was reset knows nothing of before`() throws {
        let reducers =
            ReducerKind.allCases.map(IndexReducer.builtIn)
            + [.custom { _, values, _ in .integer(Int64(values.count)) }]
        for reducer in reducers {
            var reduction = try Reduction(
                reducer, rows: ReductionRow.rows([.string("wrong"), .array([]), .integer(7)]))
            #expect(!reduction.isEmpty)
            reduction.reset()
            #expect(reduction.isEmpty)
            let rows = try ReductionRow.rows([.integer(1), .integer(5)])
            for row in rows { try reduction.add(row) }
            var fresh = try Reduction(reducer, rows: rows)
            #expect(try reduction.encoded() == fresh.encoded())
        }
    }
}
