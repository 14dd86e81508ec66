import HTTPTypes
import Settle
import SettleTableProtocol

/// A write that a client asks for.
enum WriteRequest: Sendable {
    /// POST to the table.
    case insert(members: ItemMembers, attachments: [AttachmentDescription]? = nil)
    /// PATCH: the given members replace those of the same name, the others stay; attachments,
    /// when given, replace all there are. A deleted item is brought back when `undeletes` says so.
    case update(
        members: ItemMembers, attachments: [AttachmentDescription]?, seenVersion: String?,
        undeletes: Bool = false)
    /// PUT: the given members are all that the item has afterwards; attachments are as in an
    /// update, since a client that does not know of them would take them all away.
    case replace(
        members: ItemMembers, attachments: [AttachmentDescription]?, seenVersion: String?,
        undeletes: Bool = false)
    /// PATCH with a list of changes.
    case patch(JSONPatch)
    case delete
    /// POST to the item.
    case undelete
}

/// What becomes of a write, found without touching the store.
enum WriteDecision: Sendable, Equatable {
    /// Store these members as a new version.
    case store(members: ItemMembers, isDeleted: Bool)
    /// There is nothing to do; answer with the item as it is.
    case keep(TableItem)
    /// Answer no.
    case refuse(Problem)
}

extension WriteRequest {
    /// The attachments that the item is to have; nil to leave them as they are.
    var attachments: [AttachmentDescription]? {
        switch self {
        case .insert(_, let attachments): attachments
        case .update(_, let attachments, _, _): attachments
        case .replace(_, let attachments, _, _): attachments
        case .patch, .delete, .undelete: nil
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
        on current: TableItem?, expecting expectation: VersionExpectation,
        by identity: Identity
    ) -> WriteDecision {
        guard identity.operations.contains(needed) else { return .refuse(Self.notAllowed) }
        if case .insert(let members, _) = self {
            return insertion(of: members, over: current, by: identity)
        }
        guard let current, identity.maySee(current) else { return .refuse(.missing) }
        guard identity.mayWrite(current.members) else { return .refuse(Self.foreignChannels) }
        let decision = decision(onVisible: current, expecting: expectation, by: identity)
        if case .store(_, isDeleted: false) = decision, current.isDeleted,
            !identity.operations.contains(.undelete)
        {
            return .refuse(Self.notAllowed)
        }
        return decision
    }

    /// Decides on an item that the sender may see and write.
    private func decision(
        onVisible current: TableItem, expecting expectation: VersionExpectation,
        by identity: Identity
    ) -> WriteDecision {
        switch self {
        case .insert: preconditionFailure("An insert was decided above.")
        case .update(let members, let attachments, let seenVersion, let undeletes):
            let change = Change(
                members: current.members.merging(members),
                isEmpty: members.count == 0 && attachments == nil, seenVersion: seenVersion,
                undeletes: undeletes)
            return decision(of: change, on: current, expecting: expectation, by: identity)
        case .replace(let members, _, let seenVersion, let undeletes):
            let change = Change(
                members: members, seenVersion: seenVersion, undeletes: undeletes)
            return decision(of: change, on: current, expecting: expectation, by: identity)
        case .patch(let patch):
            switch patch.applied(to: current) {
            case .success(let (members, isDeleted)):
                let change = Change(
                    members: ItemMembers(members), isEmpty: patch.changesNothing,
                    undeletes: !isDeleted)
                return decision(of: change, on: current, expecting: expectation, by: identity)
            case .failure(let problem):
                if current.isDeleted { return .refuse(.deleted(current, .conflict)) }
                return .refuse(Self.mismatch(expectation, current) ?? problem)
            }
        case .delete:
            if current.isDeleted { return .refuse(.deleted) }
            if let problem = Self.mismatch(expectation, current) { return .refuse(problem) }
            return .store(members: current.members, isDeleted: true)
        case .undelete:
            if let problem = Self.mismatch(expectation, current) { return .refuse(problem) }
            return current.isDeleted
                ? .store(members: current.members, isDeleted: false) : .keep(current)
        }
    }

    /// What the rules have to allow for the write; to bring an item back takes more.
    private var needed: TableOperation {
        switch self {
        case .insert: .insert
        case .update, .replace, .patch: .update
        case .delete: .delete
        case .undelete: .undelete
        }
    }

    private static let notAllowed = Problem(
        .methodNotAllowed, "The rules of this server do not allow this here.")

    private func insertion(
        of members: ItemMembers, over current: TableItem?, by identity: Identity
    ) -> WriteDecision {
        guard identity.mayWrite(members) else { return .refuse(Self.foreignChannels) }
        guard let current else { return .store(members: members, isDeleted: false) }
        guard identity.maySee(current) else { return .refuse(Self.takenId) }
        return .refuse(
            Problem(
                .conflict, "An item with this id exists already; update it instead.",
                item: current))
    }

    /// What a write makes of an item that is there.
    private struct Change {
        /// All members that the item has afterwards.
        var members: ItemMembers
        /// Whether nothing is asked for.
        var isEmpty = false
        /// The version that the sender has seen, by the body.
        var seenVersion: String?
        var undeletes = false
    }

    private func decision(
        of change: Change, on current: TableItem,
        expecting expectation: VersionExpectation, by identity: Identity
    ) -> WriteDecision {
        guard identity.mayWrite(change.members) else { return .refuse(Self.foreignChannels) }
        if current.isDeleted, !change.undeletes {
            // The deleted item tells the client everything it needs to resolve the conflict.
            return .refuse(
                .deleted(current, expectation == .none ? .conflict : .preconditionFailed))
        }
        if let problem = Self.mismatch(expectation, current) { return .refuse(problem) }
        if expectation == .none, let seenVersion = change.seenVersion,
            seenVersion != current.version
        {
            return .refuse(
                Problem(.conflict, "The item was changed since that version.", item: current))
        }
        return change.isEmpty && !current.isDeleted
            ? .keep(current) : .store(members: change.members, isDeleted: false)
    }

    private static func mismatch(
        _ expectation: VersionExpectation, _ current: TableItem
    ) -> Problem? {
        switch expectation {
        case .none, .any: return nil
        case .version(let version) where version == current.version: return nil
        case .unmodifiedSince(let second) where current.updatedAt.second <= second: return nil
        case .version, .unmodifiedSince: break
        }
        return Problem(
            .preconditionFailed, "The item was changed since that version.", item: current)
    }

    private static let foreignChannels = Problem(
        .forbidden,
        "The token does not allow this: every channel of the item, before and after, must be "
            + "one of the token's, and there must be one.")

    private static let takenId = Problem(
        .forbidden, "The token does not allow to insert an item with this id.")
}
