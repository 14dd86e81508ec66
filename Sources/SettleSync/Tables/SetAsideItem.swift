public import Foundation

/// An item of a remote that cannot be a document here, and was set aside.
///
/// It waits on the remote as it is. It is read again when it changes there, and leaves the list when it
/// can be a document, is deleted, or goes out of scope. One whose identifier is that of a document which
/// belongs to another remote waits here, and is stored when that is free.
public struct SetAsideItem: Sendable, Hashable {
    /// The remote it is an item of.
    public let remote: String
    /// Its identifier; nil when it has none that can be read.
    public let id: String?
    /// Which item it is, in a few words, when it has no identifier.
    public let place: String?
    /// The member that is wrong; nil when it is the item as a whole.
    public let member: String?
    /// What is wrong, in a sentence without the item's contents.
    public let reason: String
    /// When this state of the item was first set aside, by this device's clock.
    public let since: Date
}

extension SetAsideItem {
    init(remote: String, row: SetAsideRow) {
        self.remote = remote
        id = row.id
        place = row.fault.place
        member = row.fault.member
        reason = row.fault.reason
        since = row.since
    }

    init(remote: String, id: String, _ fault: ItemFault, since: Date) {
        self.remote = remote
        self.id = id
        place = fault.place
        member = fault.member
        reason = fault.reason
        self.since = since
    }
}

extension SetAsideItem: CustomStringConvertible {
    /// The item, the member and the reason.
    public var description: String {
        let name = id.map { "'\($0)'" } ?? place ?? "an item without an identifier"
        return "\(name): \(ItemFault(reason, member: member))"
    }
}
