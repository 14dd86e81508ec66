import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Filters against a naive evaluator` {
    @Test func `random filters mean what their parts mean`() throws {
        var filters = NaiveFilter(generator: SeededGenerator())
        var trueCount = 0
        for round in 0..<3000 {
            let (text, value) = filters.condition(round % 5)
            let expression = try ODataParser.filter(text)
            for _ in 0..<5 {
                let item = filters.item()
                let expected = value(item) == .bool(true)
                let found = try ODataEvaluator.isTrue(
                    expression, for: TableItem.sample(item.members))
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
        for _ in 0..<3000 {
            let text = Self.timeFilter(2, &generator)
            let expression = try ODataParser.filter(text)
            let span = expression.updatedAtSpan
            let ids = expression.candidateIds
            if span != ODataExpression.Span() || ids != nil { narrowed += 1 }
            for tick in 0..<8 {
                var item = TableItem.sample([:])
                item.id = ["a", "b", "c"][tick % 3]
                item.updatedAt = Instant(ticks: Int64(tick) * 10)
                guard try ODataEvaluator.isTrue(expression, for: item) else { continue }
                #expect(
                    (span.lower ?? item.updatedAt) <= item.updatedAt
                        && item.updatedAt <= (span.upper ?? item.updatedAt)
                        && ids?.contains(item.id) != false,
                    "\(text) at tick \(tick), \(generator)")
            }
        }
        #expect(narrowed > 500)
    }

    private static func timeFilter(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        let kind = Int.random(in: 0..<(depth > 0 ? 7 : 4), using: &generator)
        let word = ["eq", "ne", "lt", "le", "gt", "ge"].randomElement(using: &generator) ?? "eq"
        let instant = Instant(ticks: Int64.random(in: 0..<80, using: &generator))
        // Seven digits, so that a literal may stand between two microseconds.
        let digits = Civil.padded(instant.ticks, to: 7)
        let literal = "datetimeoffset'1970-01-01T00:00:00.\(digits)Z'"
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

extension TableItem {
    /// An item with these members and nothing remarkable else.
    static func sample(_ members: [String: JSONValue]) -> TableItem {
        TableItem(
            id: "x", members: members, createdAt: Instant(ticks: 0),
            updatedAt: Instant(ticks: 0), version: "v", isDeleted: false)
    }
}
