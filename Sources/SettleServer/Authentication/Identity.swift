import Settle

/// Who sends a request, and what of one table is theirs.
struct Identity: Sendable, Equatable {
    /// The claim `sub`; nil for anonymous requests.
    var subject: String?
    /// The channels whose items the sender may see; nil for all items.
    var readable: Set<String>?
    /// The channels that items of the sender may be in; nil for any, and for none at all.
    var writable: Set<String>?
    /// What may be done to the table by anybody.
    var operations = Set(TableOperation.allCases)

    /// An identity that sees and writes everything.
    static let unlimited = Identity(subject: nil, readable: nil, writable: nil)

    /// Whose the request is, for what senders share.
    var sender = SenderKey(subject: nil, address: nil)

    /// When the token that says all this ends, in seconds since 1970; nil for never.
    var expires: Double?

    /// Whether the sender may see an item: one shared channel is enough.
    ///
    /// Nobody sees anything of a table that is closed to readers, not in answers to writes either.
    func maySee(_ item: TableItem) -> Bool {
        guard operations.contains(.read) else { return false }
        guard let readable else { return true }
        let channels = item.members.channelElements ?? []
        return channels.contains { $0.map(readable.contains) ?? false }
    }

    /// Whether there is an item that the sender may write: one who is limited to nothing may not.
    var mayWriteSomething: Bool { writable?.isEmpty != true }

    /// Whether the sender may write an item with these members.
    ///
    /// A limited sender may write only what stays wholly within the limit: an array of channels, at
    /// least one, all of them allowed. An item without channels would be invisible to the one who
    /// wrote it.
    func mayWrite(_ members: ItemMembers) -> Bool {
        guard let writable else { return true }
        guard let elements = members.channelElements, !elements.isEmpty else { return false }
        return elements.allSatisfy { $0.map(writable.contains) ?? false }
    }
}
