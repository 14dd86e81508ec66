import SettleDocuments
import SettleIndexing
import TestSupport
import Testing

/// The estimate of how many different keys there are.
@Suite(.serialized) struct `Approximate counts` {
    private func reduction(
        of count: Int, seed: UInt64, repeating copies: Int = 1
    ) throws -> Reduction {
        var generator = SeededGenerator(seed: seed)
        var reduction = Reduction(.builtIn(.approxCountDistinct))
        for index in 0..<count {
            let row = ReductionRow(
                number: .random(in: .min ... .max, using: &generator), document: index)
            for _ in 0..<copies { try reduction.add(row) }
        }
        return reduction
    }

    @Test(arguments: [
        (1, 3), (2, 3), (10, 3), (100, 10), (1000, 10), (3000, 10), (6000, 10), (10_000, 10),
        (100_000, 4),
    ])
    func `the error is that of 2048 registers`(count: Int, seeds: Int) throws {
        var squares = 0.0
        var total = 0.0
        for seed in 0..<seeds {
            var reduction = try reduction(of: count, seed: UInt64(count + seed))
            let estimate = try #require(try reduction.result().doubleValue)
            let error = estimate / Double(count) - 1
            #expect(abs(error) < 0.08, "\(estimate) of \(count), seed \(seed)")
            squares += error * error
            total += error
        }
        #expect((squares / Double(seeds)).squareRoot() < 0.04)
        #expect(abs(total / Double(seeds)) < 0.03)
        if count <= 10 {
            var reduction = try reduction(of: count, seed: 1)
            #expect(try reduction.result() == .integer(Int64(count)))
        }
    }

    @Test func `a key counts once however many rows have it`() throws {
        var once = try reduction(of: 500, seed: 5)
        var often = try reduction(of: 500, seed: 5, repeating: 7)
        #expect(try once.encoded() == often.encoded())
    }

    @Test func `keys that collate alike count once, documents do not count`() throws {
        let keys: [JSONValue] = [.integer(1), .double(1), "á", "a\u{301}", .array([]), .array([])]
        var reduction = Reduction(.builtIn(.approxCountDistinct))
        for (index, key) in keys.enumerated() {
            try reduction.add(try ReductionRow(key, nil, document: index))
        }
        #expect(try reduction.result() == .integer(3))
    }

    @Test func `the partial of a run is small, that of many rows bounded`() throws {
        var run = try reduction(of: 64, seed: 6)
        #expect(try run.encoded().count <= 1 + 64 * 2 + 16)
        for count in [690, 1500, 20_000] {
            var many = try reduction(of: count, seed: 7)
            #expect(try many.encoded().count <= 1537)
        }
    }

    @Test func `merging partials counts keys that are in both once`() throws {
        // The same seed gives the same keys, so the smaller reduction is a part of the greater.
        for (small, great) in [(10, 100), (500, 900), (900, 40_000), (3000, 3001)] {
            var part = try reduction(of: small, seed: 8)
            var whole = try reduction(of: great, seed: 8)
            let expected = try whole.encoded()
            try whole.merge(partialOf: &part)
            #expect(try whole.encoded() == expected)
            var reversed = Reduction(.builtIn(.approxCountDistinct))
            try reversed.merge(partialOf: &part)
            try reversed.merge(stored: expected)
            #expect(try reversed.encoded() == expected)
        }
    }
}
