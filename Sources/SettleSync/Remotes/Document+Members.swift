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

    /// What travels, packed as the document is.
    ///
    /// - Parameter withAttachments: Whether the attachments are described among the members.
    /// - Returns: The members, an object.
    func form(withAttachments: Bool) -> JSONForm {
        guard let own = try? packed() else {
            return .value(.object(members(withAttachments: withAttachments)))
        }
        guard withAttachments else { return .packed(own) }
        if attachments.isEmpty, let whole = try? own.merging(AttachmentMember.none) {
            return .packed(whole)
        }
        if let description = try? PackedValue(AttachmentMember.value(of: attachments)),
            let whole = try? own.merging(.object([(AttachmentMember.name, description)]))
        {
            return .packed(whole)
        }
        return .value(.object(members(withAttachments: true)))
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

    /// The document that a state of the remote describes; nil unless it is live.
    init?(id: String, state: BaseItem?) {
        guard let state, state.isLive, let form = state.form else { return nil }
        if let ready = state.ready.value, ready.body.bytes.count <= JSONLimits.default.sizeMax {
            self.init(id: id, packed: ready.body)
            return
        }
        if let packed = form.packed, packed.bytes.count <= JSONLimits.default.sizeMax,
            let rest = try? packed.removing([AttachmentMember.name])
        {
            let attachments = AttachmentMember.attachments(of: form[AttachmentMember.name])
            // A member of that name that describes none is one like any other.
            self.init(id: id, packed: attachments == nil ? packed : rest)
            self.attachments = attachments ?? []
            return
        }
        self.init(id: id, members: form.value.objectValue ?? [:])
    }

    /// Why no document may have this identifier; nil when it may.
    ///
    /// Asked before an item is stored, so that one bad row of a table does not stop the rest.
    static func fault(ofId id: String) -> ItemFault? {
        func fault(_ what: String) -> ItemFault {
            ItemFault("An identifier \(what) cannot be a document's.", member: "id")
        }
        if id.isEmpty { return fault("that is empty") }
        if id.utf8.count > 255 { return fault("of more than 255 bytes") }
        if id.utf8.first == UInt8(ascii: "_") { return fault("that begins with '_'") }
        if id.utf8.contains(0) { return fault("with a NUL") }
        return nil
    }

    /// Checks that the document can be stored: what its members hold, its size and its depth.
    ///
    /// - Throws: ``DatabaseError`` with `invalidDocument` or `documentTooLarge`.
    func check() throws { _ = try packed() }
}
