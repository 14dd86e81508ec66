extension ODataNode {
    /// A span of time outside of which no item can satisfy a filter; nil is unbounded.
    package struct Span: Sendable, Equatable {
        /// The earliest time, which belongs to the span.
        package var lower: Instant?
        /// The latest time, which belongs to the span.
        package var upper: Instant?

        /// A span between two times, all of time without them.
        package init(lower: Instant? = nil, upper: Instant? = nil) {
            self.lower = lower
            self.upper = upper
        }

        /// Whether a time is in it.
        package func contains(_ time: Instant) -> Bool {
            lower.map { $0 <= time } ?? true && upper.map { time <= $0 } ?? true
        }
    }

    /// The span of the `updatedAt` of all items that can satisfy this filter.
    ///
    /// The bounds are kept wide: both ends belong to the span even for `gt` and `lt`, and a part
    /// that says nothing clear leaves it unbounded. The filter itself still decides.
    package var updatedAtSpan: Span {
        switch self {
        case .comparison(let comparison, let left, let right):
            if left == Self.updatedAt, let instant = right.constantInstant {
                return Self.span(comparison, instant)
            }
            if right == Self.updatedAt, let instant = left.constantInstant {
                return Self.span(comparison.mirrored, instant)
            }
            if left == Self.updatedDay, let day = right.constantDay {
                return Self.span(comparison, day)
            }
            if right == Self.updatedDay, let day = left.constantDay {
                return Self.span(comparison.mirrored, day)
            }
            return Span()
        case .and(let operands):
            return operands.map(\.updatedAtSpan).reduce(into: Span()) { span, other in
                span.lower = [span.lower, other.lower].compactMap(\.self).max()
                span.upper = [span.upper, other.upper].compactMap(\.self).min()
            }
        case .or(let operands):
            let spans = operands.map(\.updatedAtSpan)
            let lowers = spans.compactMap(\.lower)
            let uppers = spans.compactMap(\.upper)
            return Span(
                lower: lowers.count == spans.count ? lowers.min() : nil,
                upper: uppers.count == spans.count ? uppers.max() : nil)
        default: return Span()
        }
    }

    /// The span of `updatedAt` that this filter is, and nothing else; nil for any other filter.
    ///
    /// An item satisfies the filter just when its `updatedAt` is in the span.
    package var exactUpdatedAtSpan: Span? {
        switch self {
        case .comparison(let comparison, .path(["updatedAt"]), let literal):
            return literal.constantInstant.flatMap { Self.exactSpan(comparison, $0) }
        case .comparison(let comparison, let literal, .path(["updatedAt"])):
            return literal.constantInstant.flatMap { Self.exactSpan(comparison.mirrored, $0) }
        case .and(let operands):
            var span = Span()
            for operand in operands {
                guard let other = operand.exactUpdatedAtSpan else { return nil }
                span.lower = [span.lower, other.lower].compactMap(\.self).max()
                span.upper = [span.upper, other.upper].compactMap(\.self).min()
            }
            return span
        default: return nil
        }
    }

    /// Ends belong to a span, so where they do not belong to the comparison they are a tick off.
    private static func exactSpan(_ comparison: Comparison, _ instant: Instant) -> Span? {
        switch comparison {
        case .equal: return Span(lower: instant, upper: instant)
        case .greaterOrEqual: return Span(lower: instant, upper: nil)
        case .lessOrEqual: return Span(lower: nil, upper: instant)
        case .greater:
            let (next, overflow) = instant.ticks.addingReportingOverflow(1)
            return overflow ? nil : Span(lower: Instant(ticks: next), upper: nil)
        case .less:
            let (next, overflow) = instant.ticks.subtractingReportingOverflow(1)
            return overflow ? nil : Span(lower: nil, upper: Instant(ticks: next))
        case .notEqual: return nil
        }
    }

    /// The ids of which an item must have one to satisfy this filter; nil when any id may.
    ///
    /// Each once and in the order of their UTF-8 bytes, by which the store tells ids apart:
    /// a `Set` of strings would take canonically equivalent ids for one.
    package var candidateIds: [String]? {
        switch self {
        case .comparison(.equal, .path(["id"]), .literal(.string(let id))),
            .comparison(.equal, .literal(.string(let id)), .path(["id"])):
            return [id]
        case .membership(.path(["id"]), let candidates):
            var ids: [String] = []
            for candidate in candidates {
                guard case .literal(.string(let id)) = candidate else { return nil }
                ids.append(id)
            }
            return Self.distinct(ids)
        case .and(let operands):
            return operands.compactMap(\.candidateIds).min { $0.count < $1.count }
        case .or(let operands):
            var ids: [String] = []
            for operand in operands {
                guard let more = operand.candidateIds else { return nil }
                ids += more
            }
            return Self.distinct(ids)
        default: return nil
        }
    }

    private static func distinct(_ ids: [String]) -> [String] {
        ids.sorted { ODataOrder.bytes($0, $1) < 0 }.reduce(into: []) { distinct, id in
            if let last = distinct.last, ODataOrder.bytes(last, id) == 0 { return }
            distinct.append(id)
        }
    }

    /// The member that holds the time of the last write.
    package static let updatedAt = ODataNode.path(["updatedAt"])

    private static let updatedDay = ODataNode.call(.date, [updatedAt])

    var constantInstant: Instant? {
        guard case .literal(let value) = self else { return nil }
        return value.asInstant
    }

    /// The day that a date literal says.
    var constantDay: Day? {
        guard case .call(.date, _) = self, case .string(let text)? = constant else { return nil }
        return Day(text: text)
    }

    private static func span(_ comparison: Comparison, _ day: Day) -> Span {
        let (first, last) = day.span
        return switch comparison {
        case .equal: Span(lower: first, upper: last)
        case .greater, .greaterOrEqual: Span(lower: first, upper: nil)
        case .less, .lessOrEqual: Span(lower: nil, upper: last)
        case .notEqual: Span()
        }
    }

    private static func span(_ comparison: Comparison, _ instant: Instant) -> Span {
        switch comparison {
        case .equal: Span(lower: instant, upper: instant)
        case .greater, .greaterOrEqual: Span(lower: instant, upper: nil)
        case .less, .lessOrEqual: Span(lower: nil, upper: instant)
        case .notEqual: Span()
        }
    }
}

extension ODataNode.Comparison {
    /// The comparison that is true with its sides exchanged.
    var mirrored: Self {
        switch self {
        case .equal, .notEqual: self
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        }
    }
}
