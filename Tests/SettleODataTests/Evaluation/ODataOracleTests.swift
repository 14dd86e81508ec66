import TestSupport
import Testing

@testable import SettleOData

@Suite(.serialized) struct `Filters against a naive evaluator` {
    @Test(arguments: ODataDialect.allCases)
    func `random filters mean what their parts mean`(dialect: ODataDialect) throws {
        var filters = NaiveFilter(generator: SeededGenerator(), dialect: dialect)
        var trueCount = 0
        for round in 0..<3000 {
            let (text, value) = filters.condition(round % 5)
            let expression = try ODataParser.filter(text, dialect: dialect)
            for _ in 0..<5 {
                let item = filters.item()
                let expected = value(item) == .bool(true)
                let found = try ODataEvaluator.isTrue(
                    expression, for: SampleItem(item.members))
                #expect(
                    found == expected,
                    "\(text) for \(item.members), \(filters.generator)")
                trueCount += found ? 1 : 0
            }
        }
        // A generator whose filters are never or always true would prove nothing.
        #expect((2000...13_000).contains(trueCount))
    }

    @Test func `the bounds of a filter never shut out an item that satisfies it`() throws {
        var generator = SeededGenerator()
        var narrowed = 0
        var exactCount = 0
        for _ in 0..<3000 {
            let text = Self.timeFilter(2, &generator)
            let expression = try ODataParser.filter(text)
            let span = expression.updatedAtSpan
            let ids = expression.candidateIds
            let exact = expression.exactUpdatedAtSpan
            if span != ODataNode.Span() || ids != nil { narrowed += 1 }
            if exact != nil { exactCount += 1 }
            for tick in 0..<8 {
                var item = SampleItem([:])
                item.id = ["a", "b", "c"][tick % 3]
                item.updatedAt = Instant(ticks: Int64(tick) * 10)
                let isTrue = try ODataEvaluator.isTrue(expression, for: item)
                if let exact {
                    #expect(
                        exact.contains(item.updatedAt) == isTrue,
                        "\(text) at tick \(tick), \(generator)")
                }
                guard isTrue else { continue }
                #expect(
                    (span.lower ?? item.updatedAt) <= item.updatedAt
                        && item.updatedAt <= (span.upper ?? item.updatedAt)
                        && ids?.contains(item.id) != false,
                    "\(text) at tick \(tick), \(generator)")
            }
        }
        #expect(narrowed > 500 && exactCount > 200)
    }

    @Test func `the bounds of a day never shut out an item of that day`() throws {
        let ticks: [Int64] = [-864_000_000_000, -1, 0, 1, 863_999_999_999, 864_000_000_000]
        var bounded = 0
        for word in ["eq", "ne", "lt", "le", "gt", "ge"] {
            for day in ["1969-12-31", "1970-01-01", "1970-01-02", "0000-01-01", "9999-12-31"] {
                for text in ["updatedAt \(word) \(day)", "\(day) \(word) updatedAt"] {
                    let filter = try ODataParser.filter(text)
                    let span = filter.updatedAtSpan
                    for tick in ticks {
                        var item = SampleItem([:])
                        item.updatedAt = Instant(ticks: tick)
                        let isOutside =
                            span.lower.map { item.updatedAt < $0 } ?? false
                            || span.upper.map { item.updatedAt > $0 } ?? false
                        bounded += isOutside ? 1 : 0
                        let isTrue = try ODataEvaluator.isTrue(filter, for: item)
                        #expect(!(isTrue && isOutside), "\(text) at tick \(tick)")
                    }
                }
            }
        }
        #expect(bounded > 50)
    }

    private static func timeFilter(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        let kind = Int.random(in: 0..<(depth > 0 ? 7 : 4), using: &generator)
        let word = ["eq", "ne", "lt", "le", "gt", "ge"].randomElement(using: &generator) ?? "eq"
        let instant = Instant(ticks: Int64.random(in: 0..<80, using: &generator))
        // Seven digits, so that a literal may stand between two microseconds.
        let digits = String(10_000_000 + instant.ticks).dropFirst()
        let text = "1970-01-01T00:00:00.\(digits)Z"
        let literal =
            ["datetimeoffset'\(text)'", text, "cast(\(text),Edm.DateTimeOffset)"]
            .randomElement(using: &generator) ?? text
        switch kind {
        case 0: return "updatedAt \(word) \(literal)"
        case 1: return "\(literal) \(word) updatedAt"
        case 2: return "id eq '\(["a", "b"].randomElement(using: &generator) ?? "a")'"
        case 3: return "id in ('a', 'c')"
        case 4:
            return "not (\(timeFilter(depth - 1, &generator)))"
        default:
            let parts = (0..<3).map { _ in timeFilter(depth - 1, &generator) }
            return "(" + parts.joined(separator: kind == 5 ? ") and (" : ") or (") + ")"
        }
    }
}
