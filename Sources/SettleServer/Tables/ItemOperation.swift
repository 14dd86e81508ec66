import HTTPTypes
import Settle

/// A write that a client asks for.
enum ItemOperation: Sendable {
    /// POST to the table.
    case insert(members: [String: JSONValue], attachments: [AttachmentDescription]? = nil)
    /// PATCH: the given members replace those of the same name, the others stay; attachments,
    /// when given, replace all there are.
    case update(
        members: [String: JSONValue], attachments: [AttachmentDescription]?, seenVersion: String?)
    case delete
    /// POST to the item.
    case undelete
}

/// What becomes of a write, found without touching the store.
enum ItemDecision: Sendable, Equatable {
    /// Store these members as a new version.
    case store(members: [String: JSONValue], isDeleted: Bool)
    /// There is nothing to do; answer with the item as it is.
    case keep(TableItem)
    /// Answer no.
    case refuse(Refusal)
}

extension ItemOperation {
    /// The attachments that the item is to have; nil to leave them as they are.
    var attachments: [AttachmentDescription]? {
        switch self {
        case .insert(_, let attachments): attachments
        case .update(_, let attachments, _): attachments
        case .delete, .undelete: nil
        }
    }

    /// Decides what becomes of the write.
    ///
    /// Rights come first, so that nobody learns of an item that is not theirs; then whether there
    /// is an item; then versions.
    ///
    /// - Parameters:
    ///   - current: The stored item, nil when there never was one.
    ///   - expectation: What `If-Match` says.
    ///   - identity: Who asks.
    /// - Returns: What is to be done; the same answer for the same arguments, always.
    func decision(
        on current: TableItem?, expecting expectation: EntityTag.Expectation,
        by identity: Identity
    ) -> ItemDecision {
        if case .insert(let members, _) = self {
            return insertion(of: members, over: current, by: identity)
        }
        guard let current, identity.maySee(current) else { return .refuse(.missing) }
        guard identity.mayWrite(current.members) else { return .refuse(Self.foreignChannels) }
        switch self {
        case .insert: preconditionFailure("An insert was decided above.")
        case .update(let members, _, let seenVersion):
            return update(
                of: current, with: members, expecting: expectation, seenVersion: seenVersion,
                by: identity)
        case .delete:
            if current.isDeleted { return .refuse(.missing) }
            if let refusal = Self.mismatch(expectation, current) { return .refuse(refusal) }
            return .store(members: current.members, isDeleted: true)
        case .undelete:
            if let refusal = Self.mismatch(expectation, current) { return .refuse(refusal) }
            return current.isDeleted
                ? .store(members: current.members, isDeleted: false) : .keep(current)
        }
    }

    private func insertion(
        of members: [String: JSONValue], over current: TableItem?, by identity: Identity
    ) -> ItemDecision {
        guard identity.mayWrite(members) else { return .refuse(Self.foreignChannels) }
        guard let current else { return .store(members: members, isDeleted: false) }
        guard identity.maySee(current) else { return .refuse(Self.takenId) }
        return .refuse(
            Refusal(
                .conflict, "An item with this id exists already; update it instead.",
                item: current))
    }

    private func update(
        of current: TableItem, with members: [String: JSONValue],
        expecting expectation: EntityTag.Expectation, seenVersion: String?,
        by identity: Identity
    ) -> ItemDecision {
        let merged = current.members.merging(members) { $1 }
        guard identity.mayWrite(merged) else { return .refuse(Self.foreignChannels) }
        if current.isDeleted {
            // The deleted item tells the client everything it needs to settle the conflict.
            return .refuse(
                Refusal(
                    expectation == .none ? .conflict : .preconditionFailed,
                    "The item was deleted; undelete it before updating it.", item: current))
        }
        if let refusal = Self.mismatch(expectation, current) { return .refuse(refusal) }
        if expectation == .none, let seenVersion, seenVersion != current.version {
            return .refuse(
                Refusal(.conflict, "The item was changed since that version.", item: current))
        }
        return members.isEmpty && attachments == nil
            ? .keep(current) : .store(members: merged, isDeleted: false)
    }

    private static func mismatch(
        _ expectation: EntityTag.Expectation, _ current: TableItem
    ) -> Refusal? {
        guard case .version(let version) = expectation, version != current.version else {
            return nil
        }
        return Refusal(
            .preconditionFailed, "The item was changed since that version.", item: current)
    }

    private static let foreignChannels = Refusal(
        .forbidden,
        "The token does not allow this: every channel of the item, before and after, must be "
            + "one of the token's, and there must be one.")

    private static let takenId = Refusal(
        .forbidden, "The token does not allow to insert an item with this id.")
}
