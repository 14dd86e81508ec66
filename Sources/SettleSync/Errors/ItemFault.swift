/// Why an item of the remote cannot be a document here.
///
/// The replicator sets such an item aside and goes on with the others;
/// ``Settle/Database/setAsideItems(with:)`` lists them.
public struct ItemFault: Sendable, Hashable {
    /// The member that is wrong; nil when it is the item as a whole.
    public var member: String?
    /// What is wrong, in a sentence without the item's contents.
    public var reason: String
    /// Which item it is, for one without an identifier; nil for all others.
    ///
    /// A few words that stay the same each time the item is read.
    public var place: String?

    /// A fault.
    public init(_ reason: String, member: String? = nil, place: String? = nil) {
        self.reason = reason
        self.member = member
        self.place = place
    }
}

extension ItemFault: CustomStringConvertible {
    /// The member, if it is one, and the reason.
    public var description: String { "\(member.map { "member '\($0)': " } ?? "")\(reason)" }
}
