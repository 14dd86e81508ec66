import Settle

extension RemoteEntry.Sent {
    /// The state to merge from when the far side shows another than was expected.
    ///
    /// The operation may have been carried out before others changed the item: members that are
    /// there as they were sent are agreed upon, and a later edit of them here is an edit of this
    /// side alone. Without this, a merge would take our own last value for somebody else's change.
    ///
    /// - Parameters:
    ///   - shown: What the far side has.
    ///   - base: What both last agreed on.
    /// - Returns: The base with those members as they were sent; nil when nothing is to be changed.
    func agreement(with shown: ServerState, since base: ServerState?) -> ServerState? {
        guard kind == .insert || kind == .update, shown.isLive, let there = shown.members else {
            return nil
        }
        let before = base?.isLive == true ? base?.members ?? [:] : [:]
        var agreed = before
        for name in Set(before.keys).union(members.keys)
        where (there[name] ?? .null) == (members[name] ?? .null) {
            agreed[name] = members[name]
        }
        guard agreed != before else { return nil }
        var state = base?.isLive == true ? base : nil
        state = state ?? ServerState(presence: .live)
        state?.members = agreed
        return state
    }
}
