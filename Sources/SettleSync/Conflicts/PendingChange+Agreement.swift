import Settle

extension PendingChange.Sent {
    /// The state to merge from when the remote shows another than was expected.
    ///
    /// The operation may have been carried out before others changed the item: members that are
    /// there as they were sent belong to the base, and a later edit of them here is an edit of this
    /// side alone. Without this, a merge would take our own last value for somebody else's change.
    ///
    /// - Parameters:
    ///   - shown: What the remote has.
    ///   - base: The base.
    /// - Returns: The base with those members as they were sent; nil when nothing is to be changed.
    func agreement(with shown: BaseItem, since base: BaseItem?) -> BaseItem? {
        guard kind == .insert || kind == .update, shown.isLive, let there = shown.members else {
            return nil
        }
        var state = base?.isLive == true ? base ?? .absent : BaseItem(presence: .live)
        var agreed = state.members ?? [:]
        state.members = agreed
        let before = state
        for name in Set(agreed.keys).union(members.keys) {
            let sent = members[name] ?? .null
            let shown = shown.rounded[name] ?? there[name] ?? .null
            guard sent.isLoosely(shown, isRounded: true) else { continue }
            agreed[name] = members[name]
            state.rounded[name] = sent == shown ? nil : shown
        }
        state.members = agreed
        return state == before ? nil : state
    }
}
