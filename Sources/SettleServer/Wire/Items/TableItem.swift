import Settle
package import SettleOData
package import SettleTableProtocol

/// One row of a table as its readers see it.
package struct TableItem: Sendable, Equatable {
    /// The item's id, unique in its table.
    package var id: String
    /// The members that the sender gave, without the system columns.
    package var members: ItemMembers
    package var createdAt: Instant
    package var updatedAt: Instant
    /// Changes with every write, and never comes back.
    package var version: String {
        get { storedVersion.text }
        set { storedVersion = .text(newValue) }
    }
    /// The version as the store has it.
    private(set) var storedVersion: ItemVersion
    /// True for a row that was deleted and still tells so to those who pull.
    package var isDeleted: Bool
    /// What is attached, without the contents.
    package var attachments: [AttachmentDescription]
    /// The channels it was in; never sent.
    package var removals: ChannelRemovals
    /// True for what is told of an item to a reader whose channels it has left.
    var isOutOfScope = false
    /// The column of the attachments for those who look at it several times; nil until then.
    private var attachmentColumn: ODataValue?

    package init(
        id: String, members: ItemMembers, createdAt: Instant, updatedAt: Instant,
        version: String, isDeleted: Bool, attachments: [AttachmentDescription] = [],
        removals: ChannelRemovals = ChannelRemovals()
    ) {
        self.init(
            id: id, members: members, createdAt: createdAt, updatedAt: updatedAt,
            storedVersion: .text(version), isDeleted: isDeleted, attachments: attachments,
            removals: removals)
    }

    /// An item with its version as the store has it.
    init(
        id: String, members: ItemMembers, createdAt: Instant, updatedAt: Instant,
        storedVersion: ItemVersion, isDeleted: Bool, attachments: [AttachmentDescription],
        removals: ChannelRemovals
    ) {
        self.id = id
        self.members = members
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.storedVersion = storedVersion
        self.isDeleted = isDeleted
        self.attachments = attachments
        self.removals = removals
    }

    /// Gives the item a version that a store has made.
    mutating func take(_ version: ItemVersion) { storedVersion = version }

    /// The same item with the column of its attachments as a value, for those who look at it several times.
    package var withAttachmentColumn: TableItem {
        var item = self
        if !attachments.isEmpty {
            item.attachmentColumn = ODataValue(AttachmentColumn.json(attachments))
        }
        return item
    }

    /// Whether it is so large that it is dealt with on threads of its own.
    var isLarge: Bool { members.isLarge || attachments.count > 200 }

    /// The channels the item is in: the strings of its member `channels`.
    var channels: Set<String> { members.channels }
}

extension TableItem: ODataSubject {
    package func value(at path: [String]) -> ODataValue {
        if path[0] == AttachmentColumn.name, !attachments.isEmpty {
            let column = attachmentColumn ?? ODataValue(AttachmentColumn.json(attachments))
            return column.value(at: path.dropFirst())
        }
        let value: ODataValue =
            switch SystemColumn(rawValue: path[0]) {
            case .id: .string(id)
            case .createdAt: .instant(createdAt)
            case .updatedAt: .instant(updatedAt)
            case .version: .string(version)
            case .deleted: .bool(isDeleted)
            case nil: members.value(of: path[0])
            }
        return value.value(at: path.dropFirst())
    }
}
