public import Settle

/// Which documents of a database belong to a remote.
///
/// A database may hold the documents of several tables. The scope of each says which are its own, and
/// everything that the replicator does with a remote is about these and no others: what is sent, what
/// counts as pending, what is purged, what leaves.
///
/// ```swift
/// todos.scope = .documents(ofType: "todo")
/// notes.scope = .documents(ofType: "note")
/// ```
///
/// The scope is stored with the remote, so that commits, purges, and tools know it when nothing
/// replicates. When a replication starts with another, all documents are judged again: those that are
/// newly in scope are queued, those that are no longer are not pending any more.
///
/// **Leaving by an edit.** A document that is edited so that it is no longer in the scope is, for
/// this remote, deleted: the remote's row is deleted, the document stays. A document that goes from the
/// scope of one table to that of another thus moves from table to table.
///
/// **One identifier in two tables.** A row whose identifier is that of a document which is not in the
/// scope is not stored over it. It is set aside, and becomes a document when the identifier is
/// free.
public struct ReplicationScope: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case all
        case type(TypeScope)
        case filter(Database.IndexFilter)
    }

    /// Documents of one type.
    struct TypeScope: Sendable, Hashable {
        var type: String
        var member: String
        var isSent: Bool

        /// By bytes: equal texts of different bytes are different types.
        static func == (left: TypeScope, right: TypeScope) -> Bool {
            left.isSameType(as: right) && left.isSent == right.isSent
        }

        func isSameType(as other: TypeScope) -> Bool {
            type.utf8.elementsEqual(other.type.utf8)
                && member.utf8.elementsEqual(other.member.utf8)
        }
    }

    let kind: Kind

    /// All documents of the database.
    public static let all = ReplicationScope(kind: .all)

    /// The documents whose member `type`, or another one, is a certain text.
    ///
    /// Documents that are pulled get the member. It is not sent, as the rows of a table with one kind of
    /// documents rarely have it: nothing is sent on its account, and it does not count when a document
    /// is compared to its row. A row that has the member all the same keeps it. One whose member
    /// is something else is not in the scope: it is not stored, and listed with what is set aside; name
    /// another member for tables that use `type` for something of their own.
    ///
    /// - Parameters:
    ///   - type: The text.
    ///   - member: The name of the member.
    ///   - isSent: True to send the member as any other.
    /// - Returns: The scope.
    public static func documents(
        ofType type: String, member: String = "type", sendingType isSent: Bool = false
    ) -> ReplicationScope {
        ReplicationScope(kind: .type(.init(type: type, member: member, isSent: isSent)))
    }

    /// The documents that pass a filter, for where a type does not do.
    ///
    /// ```swift
    /// configuration.scope = .documents(matching: ["list": ["$in": ["home", "work"]]])
    /// configuration.scope = .documents(matching: ["_id": ["$gte": "todo:", "$lt": "todo;"]])
    /// ```
    ///
    /// Documents are sent and stored as they are. A row that does not pass is not in the scope:
    /// it is not stored, and listed with what is set aside. For a condition that only code can
    /// decide there is the ``ReplicationFilterDelegate``, inside the scope.
    ///
    /// - Parameter filter: The filter.
    /// - Returns: The scope.
    public static func documents(matching filter: Database.IndexFilter) -> ReplicationScope {
        ReplicationScope(kind: .filter(filter))
    }

    /// Whether a document is in the scope.
    ///
    /// - Throws: `DatabaseError` with `invalidDocument` when the document was set to something that
    ///   JSON cannot express.
    public func includes(_ document: Document) throws -> Bool {
        switch kind {
        case .all: true
        case .type(let scope): document[json: scope.member] == .string(scope.type)
        case .filter(let filter): try filter.matches(document)
        }
    }

    /// Why the scope cannot be used; nil when it can.
    var fault: String? {
        guard case .type(let scope) = kind else { return nil }
        if scope.type.isEmpty { return "The type of its scope is empty." }
        let isOwn = ["", "id", AttachmentMember.name].contains(scope.member)
        return isOwn ? "No member '\(scope.member)' can say what type a document is of." : nil
    }

    /// Whether both are of one and the same type.
    func isSameType(as other: ReplicationScope) -> Bool {
        guard case .type(let left) = kind, case .type(let right) = other.kind else { return false }
        return left.isSameType(as: right)
    }
}

extension ReplicationScope: CustomStringConvertible {
    /// What is in the scope, in words.
    public var description: String {
        switch kind {
        case .all: "all documents"
        case .type(let scope): "documents with the \(scope.member) '\(scope.type)'"
        case .filter(let filter): "documents matching \(filter.json.jsonText)"
        }
    }
}
