public import Settle

/// One operation on its way to the remote.
public struct RemoteOperation: Sendable, Hashable {
    /// What to do.
    public var kind: OperationKind
    /// The item's identifier.
    public var id: String
    /// The version the document here is based on; nil when none is known.
    ///
    /// The remote must refuse the operation when its item has another one.
    public var baseVersion: String?
    /// The document's members, whole, without `id`; empty for deletions and undeletions.
    ///
    /// - Complexity: To ask for them makes a dictionary when they are packed, as those of a push are.
    public var members: [String: JSONValue] {
        get { form.value.objectValue ?? [:] }
        _modify {
            // Let go of before it is changed, so that the dictionary is not copied.
            var members = form.value.objectValue ?? [:]
            form = .value(.null)
            defer { form = .value(.object(members)) }
            yield &members
        }
    }
    /// The members, an object.
    package private(set) var form: JSONForm
    /// The names of the members that differ from the base, when the base is known; those that are
    /// not in `members` were removed.
    public var changedNames: Set<String>?
    /// True when only the members of `changedNames` are to be sent, where the remote can merge
    /// them into what it has; false to send the document whole.
    public var sendsOnlyChanges = false

    /// An operation.
    public init(
        kind: OperationKind, id: String, baseVersion: String?,
        members: [String: JSONValue] = [:], changedNames: Set<String>? = nil
    ) {
        self.kind = kind
        self.id = id
        self.baseVersion = baseVersion
        form = .value(.object(members))
        self.changedNames = changedNames
    }

    /// An operation with members in either form, an object.
    package init(
        kind: OperationKind, id: String, baseVersion: String?, form: JSONForm,
        changedNames: Set<String>? = nil
    ) {
        self.kind = kind
        self.id = id
        self.baseVersion = baseVersion
        self.form = form
        self.changedNames = changedNames
    }

    /// Whether it brings back an item of which no version is known.
    ///
    /// Then nothing keeps the remote from undeleting what somebody else had brought back and edited,
    /// and its answer alone tells.
    var isBlindUndeletion: Bool { kind == .undelete && baseVersion == nil }
}

/// What the remote made of an operation.
public enum RemoteOutcome: Sendable, Hashable {
    /// The item is stored; this is how it looks there now.
    case stored(RemoteItem)
    /// The item is deleted or gone, now or before; the deleted item as far as the remote showed
    /// it. One without members is taken to have kept those it had.
    case deleted(RemoteItem?)
    /// Nothing was done, because the item there is not the expected one; nil when there is none.
    ///
    /// Nil for an insert means that there is an item which we are not shown. The insert is tried
    /// again a few times and then set aside.
    case conflict(RemoteItem?)
    /// Nothing was done, and the same operation would be refused again.
    case rejected(RemoteRejection)

    /// Nothing was done, and the same operation would be refused again: why, in a sentence.
    public static func rejected(reason: String) -> RemoteOutcome {
        .rejected(RemoteRejection(reason: reason))
    }
}
