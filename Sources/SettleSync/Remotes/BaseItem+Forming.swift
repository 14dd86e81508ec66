import Settle

// What a server shows in the form in which it is kept here.
//
// A table shows null in every column that a row has nothing in, so null and nothing are the same
// to it: each document keeps the one that it has, and what it never had is not taken for a member.
// Members that are left out of an answer are kept, and numbers that are rounded in it as well.

extension BaseItem {
    /// The state as a pull or a conflict shows it.
    ///
    /// What the server never showed of the base is kept as long as it is left out.
    ///
    /// - Parameters:
    ///   - base: The base.
    ///   - here: The members of the document here.
    /// - Returns: The state with the document's members.
    func pulled(over base: BaseItem?, here: [String: JSONValue]?) -> BaseItem {
        var state = withoutColumns(over: base, here: here)
        state.keepExact(as: base)
        guard isLive, let base, !base.unshown.isEmpty, let shown = members else { return state }
        let known = base.members ?? [:]
        for name in base.unshown {
            guard let value = known[name] else { continue }
            guard value.isLacking(in: shown[name]) else {
                // The first that is shown of it is what the server made of it.
                state.keepExact([name: value])
                continue
            }
            state.members?[name] = value.completing(shown[name])
            state.unshown.insert(name)
        }
        return state
    }

    /// The state as the answer to a write shows it.
    ///
    /// - Parameters:
    ///   - sent: The members that the item has to have after the write.
    ///   - base: The base.
    /// - Returns: The state with the document's members, those that the answer leaves out as they
    ///   were sent.
    func answered(to sent: JSONForm, over base: BaseItem?) -> BaseItem {
        // Most answers show what was sent, and nothing else.
        if isLive, form?.hasSameMembers(as: sent) ?? false { return self }
        return answered(to: sent.value.objectValue ?? [:], over: base)
    }

    private func answered(to sent: [String: JSONValue], over base: BaseItem?) -> BaseItem {
        guard isLive, let shown = members else { return withoutColumns(over: base, here: sent) }
        var state = self
        state.keepExact(as: base)
        state.keepExact(sent)
        for name in shown.namesLacking(of: sent, nullMayMeanAbsent: nullMayMeanAbsent) {
            let value = shown[name].flatMap { $0.isNull ? nil : $0 }
            let completed = sent[name]?.completing(value)
            let isRounded =
                completed.flatMap { sent[name]?.isLoosely($0, isRounded: true) } ?? false
            state.members?[name] = isRounded ? sent[name] : completed
            state.rounded[name] = nil
            state.unshown.insert(name)
        }
        return state.withoutColumns(over: base, here: sent)
    }

    /// The state of a deleted item, with the members that it had as far as they are known.
    ///
    /// Many servers say only that it is deleted, and some leave out members. A deletion changes none, so
    /// those that were shown before are there, and those that were not still count as never shown.
    ///
    /// - Parameter base: The base.
    /// - Returns: The state.
    func deleted(from base: BaseItem?) -> BaseItem {
        var state = self
        guard let base else { return state }
        guard let shown = members, !shown.isEmpty else {
            (state.members, state.unshown, state.rounded) =
                (base.members, base.unshown, base.rounded)
            return state
        }
        state.keepExact(as: base)
        guard nullMayMeanAbsent, let before = base.members else { return state }
        for name in shown.namesLacking(of: before, nullMayMeanAbsent: true) {
            let value = shown[name].flatMap { $0.isNull ? nil : $0 }
            state.members?[name] = before[name]?.completing(value)
            if value == nil { state.rounded[name] = base.rounded[name] }
            if base.unshown.contains(name) { state.unshown.insert(name) }
        }
        return state
    }

    /// This state, as a row of the same version shows it.
    ///
    /// One version has one content. So what the row shows beyond what is known is taken, and what it
    /// leaves out is kept. Of what was never shown, null is an answer.
    ///
    /// - Parameter row: The row.
    /// - Returns: The state with what it lacked; itself when the row shows nothing else.
    func shownAgain(by row: BaseItem) -> BaseItem {
        guard isLive, row.isLive else { return self }
        if unshown.isEmpty, rounded.isEmpty, form == row.form { return self }
        guard let members, let shown = row.members else { return self }
        var state = self
        for (name, value) in shown where name != AttachmentMember.name {
            let isColumn = value.isNull && row.nullMayMeanAbsent
            guard let known = members[name] else {
                if !isColumn { state.members?[name] = value }
                continue
            }
            if unshown.contains(name) {
                if known.mayBeShown(as: value), known.isLacking(in: value) { continue }
                state.unshown.remove(name)
            } else if isColumn {
                continue
            }
            if !known.mayBeShown(as: value) { state.members?[name] = known.completing(value) }
            let isRounded = known != value && known.isLoosely(value, isRounded: true)
            state.rounded[name] = isRounded ? value : nil
        }
        return state
    }

    /// This state, as it is shown after another one of the item: with all that either shows where
    /// both are the same.
    func shown(after earlier: BaseItem?) -> BaseItem {
        guard let earlier, earlier.isSame(as: self) else { return self }
        var state = earlier.shownAgain(by: self)
        state.updated = updated ?? earlier.updated
        if source != 0 { state.source = source }
        return state
    }

    /// The state without the nulls that stand for nothing.
    ///
    /// A null stays when the base has the member, or the document has the same null.
    private func withoutColumns(
        over base: BaseItem?, here: [String: JSONValue]?
    ) -> BaseItem {
        guard nullMayMeanAbsent else { return self }
        if here == nil, let packed = form?.packed, (try? packed.hasNull()) == false { return self }
        guard let members else { return self }
        var state = self
        let known = base?.members ?? [:]
        state.members = members.filter { name, value in
            !value.isNull || known[name] != nil || here?[name] == .null
        }
        if isLive, let here {
            for (name, value) in here where value.isNull && members[name] == nil {
                state.members?[name] = .null
            }
        }
        return state
    }
}
