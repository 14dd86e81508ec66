package import SettleDocuments

/// The column that describes the attachments of an item.
///
/// Shape: an object with a member for each attachment, its name; see ``AttachmentDescription``. An
/// item without attachments does not have the column.
package enum AttachmentColumn {
    package static let name = "_attachments"

    /// So that one write looks up a bounded number of contents.
    private static let countMax = 1000

    /// Reads the column of a body.
    ///
    /// - Parameter json: The member; null means no attachments, as an empty object does.
    /// - Returns: The attachments in the order of their names.
    /// - Throws: ``TableFault`` naming what is wrong.
    package static func descriptions(of json: JSONValue) throws(TableFault)
        -> [AttachmentDescription]
    {
        if json == .null { return [] }
        guard let members = json.objectValue else {
            throw TableFault(
                "The member '\(name)' must be an object that describes attachments by name.")
        }
        guard members.count <= countMax else {
            throw TableFault(
                "An item has at most \(countMax) attachments in '\(name)'.")
        }
        var descriptions: [AttachmentDescription] = []
        for name in members.keys.sorted() {
            descriptions.append(
                try AttachmentDescription(name: name, json: members[name] ?? .null))
        }
        return descriptions
    }

    /// The column as it is sent.
    package static func json(_ descriptions: [AttachmentDescription]) -> JSONValue {
        .object(
            descriptions.reduce(into: [:]) { members, description in
                members[description.name] = description.json
            })
    }
}
