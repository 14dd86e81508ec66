import Settle

extension Document {
    /// What travels: the members without the identifier.
    ///
    /// - Parameter withAttachments: Whether the attachments are described among them.
    /// - Returns: The members.
    func members(withAttachments: Bool) -> [String: JSONValue] {
        var members = json
        if withAttachments {
            members[AttachmentMember.name] = AttachmentMember.value(of: attachments)
        }
        return members
    }

    /// A document with these members; attachments that they describe have no content yet.
    init(id: String, members: [String: JSONValue]) {
        self.init(id: id)
        let attachments = AttachmentMember.attachments(in: members)
        for (name, value) in members where attachments == nil || name != AttachmentMember.name {
            self[json: name] = value
        }
        self.attachments = attachments ?? []
    }

    /// The document that a state of the far side describes; nil unless it is live.
    init?(id: String, state: ServerState?) {
        guard let state, state.isLive, let members = state.members else { return nil }
        self.init(id: id, members: members)
    }

    /// Why no document may have this identifier; nil when it may.
    ///
    /// Asked before an item is stored, so that one bad row of a table does not stop the rest.
    static func fault(ofId id: String) -> String? {
        if id.isEmpty { return "its identifier is empty" }
        if id.utf8.count > 255 { return "its identifier is longer than 255 bytes" }
        if id.utf8.first == UInt8(ascii: "_") { return "its identifier begins with '_'" }
        if id.utf8.contains(0) { return "its identifier contains a NUL" }
        return nil
    }
}
