import Settle

// Documents as rows of a remote, and rows as documents. The member that marks a document's type
// belongs to the database and not to the row: what the row has there is left as it is.

extension ReplicationScope {
    /// What travels of a document.
    ///
    /// - Parameters:
    ///   - document: A document of the scope.
    ///   - base: What the remote has.
    ///   - withAttachments: Whether the attachments are described among the members.
    /// - Returns: The members to send, an object.
    func form(
        of document: Document, over base: BaseItem?, withAttachments: Bool
    ) -> JSONForm {
        let form = document.form(withAttachments: withAttachments)
        guard case .type(let scope) = kind, !scope.isSent else { return form }
        let mark = base?.form?.member(scope.member)
        if let packed = try? form.packed?.setting([scope.member: mark]) { return .packed(packed) }
        return .value(.object(marked(form.value.objectValue ?? [:], as: base?.members)))
    }

    /// Whether a document is what a state of the remote says: live with these members, or not there.
    ///
    /// - Parameters:
    ///   - document: A document of the scope; nil for none.
    ///   - state: The state.
    /// - Returns: True when there is nothing to send or to store.
    func isEqual(_ document: Document?, to state: BaseItem) -> Bool {
        state.isEqual(to: marked(document, as: state))
    }

    /// As ``isEqual(_:to:)``, but that null is as good as nothing where the server does not tell the
    /// two apart; see ``BaseItem/isLike(_:)``.
    func isLike(_ document: Document?, to state: BaseItem) -> Bool {
        state.isLike(marked(document, as: state))
    }

    private func marked(_ document: Document?, as state: BaseItem) -> Document? {
        guard case .type(let scope) = kind, var document else { return document }
        document[json: scope.member] = state.form?.member(scope.member)
        return document
    }

    /// The document that a state describes; nil unless it is live.
    func document(_ id: String, _ state: BaseItem?) -> Document? {
        guard let document = Document(id: id, state: state) else { return nil }
        return stamped(document)
    }

    /// A document with the type of the scope, unless it has another.
    func stamped(_ document: Document) -> Document {
        guard case .type(let scope) = kind, document[json: scope.member]?.isNull ?? true else {
            return document
        }
        var document = document
        document[json: scope.member] = .string(scope.type)
        return document
    }

    /// The member that the scope adds to members without one, as an object of its own.
    ///
    /// - Parameter members: Those of a row.
    /// - Returns: Its name and the object; nil when the scope adds nothing to them.
    func stamp(of members: PackedValue) -> (name: String, object: PackedValue)? {
        guard case .type(let scope) = kind, (try? members.packedMember(scope.member)) == nil,
            let object = try? PackedValue([scope.member: .string(scope.type)])
        else { return nil }
        return (scope.member, object)
    }

    /// Whether a state shows every member as it was sent; see ``BaseItem/holds(_:isRounded:)``.
    func holds(_ state: BaseItem, _ sent: [String: JSONValue], isRounded: Bool) -> Bool {
        members(sent, asIn: state).map { state.holds($0, isRounded: isRounded) } ?? false
    }

    /// Members that were sent, with the type as a state has it; nil for a row of another type, which
    /// is nothing that was ever sent.
    func members(
        _ sent: [String: JSONValue], asIn state: BaseItem
    ) -> [String: JSONValue]? {
        guard case .type(let scope) = kind else { return sent }
        let own = state.members?[scope.member] ?? .null
        guard own.isNull || own == .string(scope.type) else { return nil }
        return marked(sent, as: state.members)
    }

    /// Members in which the type is what it is among others.
    private func marked(
        _ members: [String: JSONValue], as others: [String: JSONValue]?
    ) -> [String: JSONValue] {
        guard case .type(let scope) = kind else { return members }
        var members = members
        members[scope.member] = others?[scope.member]
        return members
    }

    /// Why a row cannot be a document of the scope; nil when it can.
    func fault(ofRow id: String, _ state: BaseItem) throws -> (member: String?, reason: String)? {
        guard kind != .all, let document = document(id, state) else { return nil }
        if try includes(document) { return nil }
        switch kind {
        case .all: return nil
        case .type(let scope):
            return (
                scope.member,
                "The row is not of the type '\(scope.type)', to which the scope of the replication "
                    + "is limited."
            )
        case .filter:
            return (nil, "The row does not match the filter that is the scope of the replication.")
        }
    }

    /// Whether a document of the database is there and in the scope.
    func includes(_ id: String, in snapshot: Snapshot) throws -> Bool {
        switch kind {
        case .all:
            return try snapshot.withDocument(id) { _ in true } ?? false
        case .type(let scope):
            return try snapshot.withDocument(id) { view in
                try view.string(scope.member)?.utf8.elementsEqual(scope.type.utf8) ?? false
            } ?? false
        case .filter:
            return try snapshot.document(id).map { try includes($0) } ?? false
        }
    }
}
