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
        if operations.contains(.read), readable == nil { return true }
        return maySee(channels: item.members.channelElements)
    }

    /// Whether the sender may see what is in some channels.
    ///
    /// - Parameter channels: The elements of the member `channels`, nil in place of one that is no string;
    ///   nil when it is no array.
    /// - Returns: Whether one of them is the sender's to read.
    func maySee(channels: [String?]?) -> Bool {
        guard operations.contains(.read) else { return false }
        guard let readable else { return true }
        return channels?.contains { $0.map(readable.contains) ?? false } ?? false
    }

    /// Whether there is an item that the sender may see.
    var maySeeSomething: Bool { operations.contains(.read) && readable?.isEmpty != true }

    /// Whether there is an item that the sender may write: one who is limited to nothing may not.
    var mayWriteSomething: Bool { writable?.isEmpty != true }

    /// Whether the sender may write an item with these members.
    ///
    /// A limited sender may write only what stays wholly within the limit: an array of channels, at
    /// least one, all of them allowed. An item without channels would be invisible to the one who
    /// wrote it.
    func mayWrite(_ members: ItemMembers) -> Bool {
        writable == nil || mayWrite(channels: members.channelElements)
    }

    /// Whether the sender may write what is in some channels, given as to ``maySee(channels:)``.
    func mayWrite(channels: [String?]?) -> Bool {
        guard let writable else { return true }
        guard let channels, !channels.isEmpty else { return false }
        return channels.allSatisfy { $0.map(writable.contains) ?? false }
    }
}
