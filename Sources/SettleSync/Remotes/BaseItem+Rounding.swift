import Settle

// Numbers of ours that a server shows rounded. They stay here as they were sent, as long as it shows
// the same.

extension BaseItem {
    /// Keeps what was sent where this state, which the server made of it, shows it rounded.
    mutating func keepExact(_ sent: [String: JSONValue]) {
        guard let members else { return }
        for (name, value) in sent {
            guard let shown = rounded[name] ?? members[name] else { continue }
            let isRounded = shown != value && value.isLoosely(shown, isRounded: true)
            self.members?[name] = isRounded ? value : shown
            rounded[name] = isRounded ? shown : nil
        }
    }

    /// Keeps what an earlier state keeps, where the server shows the same as it did then.
    mutating func keepExact(as before: BaseItem?) {
        guard let before, !before.rounded.isEmpty, let members else { return }
        let known = before.members ?? [:]
        for (name, shown) in before.rounded where members[name] == shown && rounded[name] == nil {
            self.members?[name] = known[name]
            rounded[name] = shown
        }
    }
}
