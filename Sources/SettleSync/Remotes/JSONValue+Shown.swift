import Settle

// What a server shows of what it was sent. It may leave out members, and members of members.

extension JSONValue {
    /// Whether something of this value that is not null is left out of what is shown of it.
    func isLacking(in shown: JSONValue?) -> Bool {
        if isNull { return false }
        guard let shown else { return true }
        guard case .object(let members) = self, case .object(let others) = shown else {
            return false
        }
        return members.contains { $0.value.isLacking(in: others[$0.key]) }
    }

    /// What is shown of this value, with what is left out of it.
    func completing(_ shown: JSONValue?) -> JSONValue {
        guard let shown else { return self }
        guard case .object(let members) = self, case .object(var others) = shown else {
            return shown
        }
        for (name, value) in members where value.isLacking(in: others[name]) {
            others[name] = value.completing(others[name])
        }
        return .object(others)
    }

    /// Whether what is shown is this value, perhaps with something left out or rounded.
    func mayBeShown(as shown: JSONValue) -> Bool {
        guard case .object(let members) = self, case .object(let others) = shown else {
            return isLoosely(shown, isRounded: true)
        }
        return others.allSatisfy { members[$0.key]?.mayBeShown(as: $0.value) ?? false }
    }
}

extension [String: JSONValue] {
    /// The members that are not null.
    var withoutNulls: [String: JSONValue] {
        values.contains(.null) ? filter { !$0.value.isNull } : self
    }

    /// The names of the members of `sent` that are not null and are left out here, or not whole.
    ///
    /// Attachments do not count: not every server has them.
    func namesLacking(
        of sent: [String: JSONValue], nullMayMeanAbsent: Bool
    ) -> Set<String> {
        var names: Set<String> = []
        for (name, value) in sent where name != AttachmentMember.name {
            var shown = self[name]
            if nullMayMeanAbsent, shown == .null { shown = nil }
            if value.isLacking(in: shown) { names.insert(name) }
        }
        return names
    }

    /// Whether these are members of `sent`, of which some may be left out, and nothing else.
    func isPart(of sent: [String: JSONValue]) -> Bool {
        withoutNulls.allSatisfy { sent[$0.key]?.mayBeShown(as: $0.value) ?? false }
    }
}
