import Settle
import SettleOData

extension TableItem {
    /// What is told of the item to a reader whose channels it left at a time.
    ///
    /// The item has left the reader's sight when it does not pass the limits of its channels, the
    /// token's and those of the filter, and would pass them with the channels it left. Only what
    /// the reader was allowed to know goes into that: neither other members nor channels that are
    /// not the token's are looked at, and parts of the filter that name other members are passed
    /// over.
    ///
    /// - Parameters:
    ///   - time: When, in microseconds: the place in the timeline that the reader comes past.
    ///   - filter: The filter of the list.
    ///   - identity: Who reads.
    ///   - budget: The work that is left for the request.
    /// - Returns: An item that says no more than that it is gone; nil when it did not leave the
    ///   reader's sight then.
    /// - Throws: ``ODataError`` when the budget is used up.
    func removal(
        at time: Int64, filter: ODataNode?, from identity: Identity, budget: ODataBudget
    ) throws(ODataError) -> TableItem? {
        let left = removals.channels(leftFrom: time)
        guard !left.isEmpty else { return nil }
        let limits = filter?.channelLimits ?? []
        func passes(_ item: TableItem) throws(ODataError) -> Bool {
            guard identity.maySee(item) else { return false }
            for limit in limits {
                guard try ODataEvaluator.isTrue(limit, for: item, budget: budget) else {
                    return false
                }
            }
            return true
        }
        func stub(_ channels: Set<String>) -> TableItem {
            let known = identity.readable.map(channels.intersection) ?? channels
            let instant = Instant(microseconds: time)
            var item = TableItem(
                id: id, members: ["channels": .array(known.sorted().map(JSONValue.string))],
                createdAt: instant, updatedAt: instant, version: "removed-\(time)",
                isDeleted: true)
            item.isOutOfScope = true
            return item
        }
        let gone = stub(channels.union(left))
        guard try passes(gone), try !passes(stub(channels)) else { return nil }
        return gone
    }
}

extension ODataNode {
    /// The parts of a filter, all of which must be true, that ask for nothing but `id`,
    /// `updatedAt` and channels.
    fileprivate var channelLimits: [ODataNode] {
        if case .and(let operands) = self { return operands.flatMap(\.channelLimits) }
        return asksOnly(for: ["id", "updatedAt", "channels"]) ? [self] : []
    }

    /// Whether the expression depends on no other members than these.
    func asksOnly(for names: Set<String>) -> Bool {
        switch self {
        case .literal, .spelled, .variable: true
        case .verbatim: false
        case .path(let path): names.contains(path[0])
        case .not(let operand), .negated(let operand), .cast(let operand, _),
            .count(let operand):
            operand.asksOnly(for: names)
        case .and(let operands), .or(let operands), .call(_, let operands):
            operands.allSatisfy { $0.asksOnly(for: names) }
        case .comparison(_, let left, let right), .arithmetic(_, let left, let right):
            left.asksOnly(for: names) && right.asksOnly(for: names)
        case .membership(let value, let candidates):
            value.asksOnly(for: names) && candidates.allSatisfy { $0.asksOnly(for: names) }
        case .any(let array, _, let condition):
            array.asksOnly(for: names) && condition?.asksOnly(for: names) ?? true
        case .all(let array, _, let condition):
            array.asksOnly(for: names) && condition.asksOnly(for: names)
        }
    }
}
