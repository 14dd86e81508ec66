import Settle

// How an operation is recognised whose answer was lost.

extension PushQueue {
    /// Whether a state of the remote is what the operation would have made of it.
    ///
    /// This is how an operation is recognised whose answer was lost, and how equal edits on two
    /// devices are no conflict.
    ///
    /// - Parameters:
    ///   - sent: The operation.
    ///   - state: The state.
    ///   - base: The base.
    ///   - scope: The scope of the remote.
    ///   - isRepeated: Whether the operation may have been carried out before, so that its numbers may
    ///     be there rounded. On a server that is not known to keep what it is sent they may always: a
    ///     request may be delivered twice, and the second answer come back.
    /// - Returns: Whether it is.
    static func isOwnWork(
        _ sent: PendingChange.Sent, shows state: BaseItem, base: BaseItem?,
        in scope: ReplicationScope, isRepeated: Bool = false
    ) -> Bool {
        switch sent.kind {
        case .insert, .update:
            scope.holds(
                state, sent.members, isRounded: isRepeated || state.nullMayMeanAbsent)
        case .delete: !state.isLive
        case .undelete: base.map { isBroughtBack($0, as: state.asShown) } ?? false
        }
    }

    /// Whether the members of a deleted item came back as they were: then nobody has edited them since.
    ///
    /// What the server had not shown of them may be shown now.
    private static func isBroughtBack(_ base: BaseItem, as state: BaseItem) -> Bool {
        guard var expected = base.shownMembers, let shown = state.members else { return false }
        let known = base.members ?? [:]
        for name in base.unshown where !(shown[name]?.isNull ?? true) {
            expected[name] = known[name]
        }
        // What a state does not say of attachments is no difference.
        if shown[AttachmentMember.name] == nil, base.carriesAttachments {
            expected[AttachmentMember.name] = nil
        }
        return state.holds(expected, isRounded: true)
    }

    /// Whether a state shows only members that were sent, without some that the server did not have
    /// before.
    ///
    /// An operation whose answer was lost has made this of an item on a server that does not store, or
    /// not show, all that it is sent.
    static func isOwnWorkInPart(
        _ sent: PendingChange.Sent, shows state: BaseItem, base: BaseItem?,
        in scope: ReplicationScope
    ) -> Bool {
        guard sent.kind == .insert || sent.kind == .update, state.isLive,
            let shown = state.members?.merging(state.rounded, uniquingKeysWith: { $1 }),
            let members = scope.members(sent.members, asIn: state),
            shown.isPart(of: members)
        else { return false }
        let lacking = shown.namesLacking(
            of: members, nullMayMeanAbsent: state.nullMayMeanAbsent)
        let before = base?.shownMembers ?? [:]
        return lacking.allSatisfy { before[$0]?.isNull ?? true }
    }

    /// Makes a state the new base, and queues what it lacks of the document.
    static func goOn(
        _ id: String, from state: BaseItem, _ old: PendingChange, in transaction: Transaction,
        _ tables: RemoteTables
    ) throws -> PushResult {
        let local = try tables.document(id, in: transaction)
        try tables.setBase(
            state.pulled(
                over: try tables.base(id), here: local?.members(withAttachments: true)), id)
        var entry = old
        entry.sent = nil
        entry.seen = nil
        entry.queued = PendingChangeStateMachine.kind(
            server: state.presence, isDeletedHere: local == nil)
        try tables.setEntry(entry, id, replacing: old)
        return .returned
    }
}
