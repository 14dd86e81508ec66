import Settle

/// One row of a table as its readers see it.
struct TableItem: Sendable, Equatable {
    /// The item's id, unique in its table.
    var id: String
    /// The members that the sender gave, without the system columns.
    var members: [String: JSONValue]
    var createdAt: Instant
    var updatedAt: Instant
    /// Changes with every write: base64 of the stored revision.
    var version: String
    /// True for a row that was deleted and still tells so to those who pull.
    var isDeleted: Bool
    /// What is attached, without the contents.
    var attachments: [AttachmentDescription] = []
    /// The channels it was in; never sent.
    var departures = Departures()
    /// True for what is told of an item to a reader whose channels it has left.
    var isOutOfSight = false

    /// The item as it is sent.
    ///
    /// Shape: the members and the five system columns in one object, and ``AttachmentColumn``
    /// when there are attachments. Of an item that is out of sight: `id`, `updatedAt`, `version`,
    /// `deleted` and `"@removed": {"reason": "changed"}`, whatever is selected.
    ///
    /// - Parameter selection: The names to send, nil for all of them; names that the item does
    ///   not have are left out.
    /// - Returns: An object.
    func json(selecting selection: Set<String>? = nil) -> JSONValue {
        guard !isOutOfSight else {
            return [
                SystemColumn.id.rawValue: .string(id),
                SystemColumn.updatedAt.rawValue: .string(updatedAt.iso8601),
                SystemColumn.version.rawValue: .string(version),
                SystemColumn.deleted.rawValue: true, "@removed": ["reason": "changed"],
            ]
        }
        var object = members
        object[SystemColumn.id.rawValue] = .string(id)
        object[SystemColumn.createdAt.rawValue] = .string(createdAt.iso8601)
        object[SystemColumn.updatedAt.rawValue] = .string(updatedAt.iso8601)
        object[SystemColumn.version.rawValue] = .string(version)
        object[SystemColumn.deleted.rawValue] = .bool(isDeleted)
        if !attachments.isEmpty {
            object[AttachmentColumn.name] = AttachmentColumn.json(attachments)
        }
        guard let selection else { return .object(object) }
        return .object(object.filter { selection.contains($0.key) })
    }

    /// The channels the item is in: the strings of its member `channels`.
    var channels: Set<String> { Self.channels(of: members) }

    /// The channels that an item with these members is in.
    static func channels(of members: [String: JSONValue]) -> Set<String> {
        Set(members["channels"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }
}

extension TableItem: ODataSubject {
    func value(at path: [String]) -> ODataValue {
        if path[0] == AttachmentColumn.name, !attachments.isEmpty {
            return ODataValue(AttachmentColumn.json(attachments)).value(at: path.dropFirst())
        }
        let value: ODataValue =
            switch SystemColumn(rawValue: path[0]) {
            case .id: .string(id)
            case .createdAt: .instant(createdAt)
            case .updatedAt: .instant(updatedAt)
            case .version: .string(version)
            case .deleted: .bool(isDeleted)
            case nil: members[path[0]].map(ODataValue.init) ?? .null
            }
        return value.value(at: path.dropFirst())
    }
}
