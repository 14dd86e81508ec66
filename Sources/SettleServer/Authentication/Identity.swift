import Settle

/// Who sends a request, and what of the tables is theirs.
struct Identity: Sendable, Equatable {
    /// The claim `sub`; nil for anonymous requests.
    var subject: String?
    /// The channels of the claim; nil when the sender is not limited.
    var channels: Set<String>?

    /// An identity that sees and writes everything.
    static let unlimited = Identity(subject: nil, channels: nil)

    /// Whether the sender may see an item: one shared channel is enough.
    func maySee(_ item: TableItem) -> Bool {
        guard let channels else { return true }
        return !channels.isDisjoint(with: item.channels)
    }

    /// Whether there is an item that the sender may write: one who is limited to nothing may not.
    var mayWriteSomething: Bool { channels?.isEmpty != true }

    /// Whether the sender may write an item with these members.
    ///
    /// A limited sender may write only what stays wholly within the claim: an array of channels,
    /// at least one, all of them claimed. An item without channels would be invisible to the one
    /// who wrote it.
    func mayWrite(_ members: [String: JSONValue]) -> Bool {
        guard let channels else { return true }
        guard let elements = members["channels"]?.arrayValue, !elements.isEmpty else {
            return false
        }
        return elements.allSatisfy { element in
            element.stringValue.map(channels.contains) ?? false
        }
    }
}
