import SettleDocuments

extension Cosmos {
    /// Puts the parts of an aggregate together that each range gave.
    struct AggregatePart: Sendable {
        private let aggregate: QueryPlan.Aggregate
        private var isUndefined = false
        private var sum: JSONValue = 0
        private var count: JSONValue = 0
        private var extreme: JSONValue?

        init(_ aggregate: QueryPlan.Aggregate) { self.aggregate = aggregate }

        /// Adds what a range gave: `{"item": …}`, or the newer `{"item2": …}`.
        mutating func add(_ wrapped: JSONValue?) {
            let item = wrapped?["item2"] ?? wrapped?["item"]
            switch aggregate {
            case .count: sum = Self.sum(sum, item) ?? sum
            case .sum:
                guard let total = Self.sum(sum, item) else { return isUndefined = true }
                sum = total
            case .average:
                let counted = item?["count"] ?? 0
                if counted == 0 { return }
                guard let total = Self.sum(sum, item?["sum"]) else { return isUndefined = true }
                sum = total
                count = Self.sum(count, counted) ?? count
            case .min: take(item, "min", -1)
            case .max: take(item, "max", 1)
            }
        }

        /// Takes the lowest or highest value of a range when it is that of all.
        private mutating func take(_ item: JSONValue?, _ name: String, _ sign: Int) {
            var value = item
            if case .object? = item, let counted = item?["count"] {
                // A range without values has no extreme.
                if counted == 0 { return }
                value = item?[name]
            }
            guard let value else { return }
            if extreme == nil || ResultOrder.compare(value, extreme) * sign > 0 { extreme = value }
        }

        /// The aggregate over all ranges; nil when it is undefined.
        var result: JSONValue? {
            if isUndefined { return nil }
            switch aggregate {
            case .count, .sum: return sum
            case .min, .max: return extreme
            case .average:
                guard let total = sum.doubleValue, let count = count.doubleValue, count > 0 else {
                    return nil
                }
                let mean = total / count
                return Int64(exactly: mean).map { .integer($0) } ?? .double(mean)
            }
        }

        /// The sum of two numbers; nil when one is none.
        private static func sum(_ left: JSONValue, _ right: JSONValue?) -> JSONValue? {
            if case .integer(let left) = left, case .integer(let right)? = right {
                let (sum, overflow) = left.addingReportingOverflow(right)
                if !overflow { return .integer(sum) }
            }
            guard let left = left.doubleValue, let right = right?.doubleValue else { return nil }
            let sum = left + right
            return sum.isFinite ? .double(sum) : nil
        }
    }

    /// Puts results together that are made of many documents: aggregates, and groups.
    struct ResultAggregation: Sendable {
        private struct Group: Sendable {
            /// The members that are no aggregates, as the first range gave them.
            var plain: JSONValue?
            var value: AggregatePart?
            var members: [String: AggregatePart] = [:]
        }

        private let plan: QueryPlan
        private var groups: [String: Group] = [:]

        init(_ plan: QueryPlan) { self.plan = plan }

        /// Adds a result of a range.
        mutating func add(_ row: JSONValue) {
            var key = ""
            var payload: JSONValue? = row
            if plan.isGrouped {
                key = (row["groupByItems"]?.arrayValue ?? [])
                    .map { ResultOrder.canonicalText(of: $0["item2"] ?? $0["item"]) }
                    .joined(separator: ",")
                payload = row["payload"]
            } else if plan.aggregates.isEmpty {
                payload = row["payload"] ?? row
            } else if case .array(let items) = row {
                payload = items.first
            }
            var group = groups[key] ?? Group(value: plan.aggregates.first.map { AggregatePart($0) })
            if groups[key] == nil {
                group.plain = payload
                for (name, aggregate) in plan.memberAggregates {
                    group.members[name] = AggregatePart(aggregate)
                }
            }
            if group.value != nil {
                group.value?.add(payload)
            } else {
                for name in group.members.keys { group.members[name]?.add(payload?[name]) }
            }
            groups[key] = group
        }

        /// The results, in the order of the groups' keys as texts: the same, however the ranges are divided.
        var results: [JSONValue] {
            groups.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.compactMap {
                let group = $0.value
                if let value = group.value { return value.result }
                guard case .object(var members)? = group.plain else { return group.plain }
                for (name, part) in group.members { members[name] = part.result }
                return .object(members)
            }
        }
    }
}
