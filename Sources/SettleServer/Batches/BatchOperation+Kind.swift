import HTTPTypes
import SettleTableProtocol

extension BatchVerb {
    /// What the operation's item is for; nil when it takes none.
    var purpose: ItemBody.Purpose? {
        switch self {
        case .insert: .insert
        case .update: .update
        case .replace: .replacement
        case .delete, .undelete: nil
        }
    }

    /// The write that the route for one item would ask for.
    ///
    /// - Parameter body: The operation's item; nil when it takes none.
    /// - Returns: The write.
    func operation(with body: ItemBody?) -> WriteRequest {
        switch (self, body) {
        case (.insert, let body?):
            .insert(members: body.members, attachments: body.attachments)
        case (.update, let body?):
            .update(
                members: body.members, attachments: body.attachments, seenVersion: body.version,
                undeletes: body.deleted == false)
        case (.replace, let body?):
            .replace(
                members: body.members, attachments: body.attachments, seenVersion: body.version)
        case (.delete, nil): .delete
        case (.undelete, nil): .undelete
        default: preconditionFailure("An item was read just for the operations that take one.")
        }
    }

    /// The status of an operation that was carried out.
    var status: HTTPResponse.Status {
        switch self {
        case .insert: .created
        case .update, .replace, .undelete: .ok
        case .delete: .noContent
        }
    }
}
