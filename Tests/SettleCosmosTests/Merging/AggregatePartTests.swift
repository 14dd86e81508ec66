import Settle
import Testing

@testable import SettleCosmos

@Suite struct `Parts of aggregates` {
    private func result(
        _ aggregate: Cosmos.QueryPlan.Aggregate, _ parts: [JSONValue]
    ) -> JSONValue? {
        var sum = Cosmos.AggregatePart(aggregate)
        for part in parts { sum.add(part) }
        return sum.result
    }

    @Test func `are put together as the service writes them`() {
        #expect(result(.count, [["item": 2], ["item": 0], ["item": 5]]) == 7)
        #expect(result(.sum, [["item": 2], ["item": 0.5]]) == 2.5)
        #expect(result(.sum, [["item": 2], [:]]) == nil)
        #expect(result(.min, [["item": 2], [:], ["item": 1]]) == 1)
        #expect(result(.max, [["item": "a"], ["item": 9]]) == "a")
        #expect(
            result(
                .average,
                [
                    ["item": ["sum": 6, "count": 2]], ["item": ["count": 0]],
                    ["item": ["sum": 3, "count": 1]],
                ]) == 3)
        #expect(result(.average, [["item": ["sum": 0, "count": 0]]]) == nil)
        #expect(result(.average, [["item": ["count": 2]]]) == nil)
    }

    @Test func `are put together in the newer form, too`() {
        #expect(
            result(
                .min,
                [
                    ["item": 5, "item2": ["min": 5, "count": 3]],
                    ["item2": ["min": 0, "count": 0]], ["item2": ["min": 4, "count": 1]],
                ]) == 4)
        #expect(result(.max, [["item2": ["max": 5, "count": 3]], ["item2": ["count": 0]]]) == 5)
    }

    @Test func `do not overflow`() {
        #expect(
            result(.sum, [["item": .integer(.max)], ["item": .integer(.max)]])
                == .double(2 * Double(Int64.max)))
    }
}
