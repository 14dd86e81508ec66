public import Foundation
public import Settle

/// An item as the remote holds it.
public struct RemoteItem: Sendable, Hashable {
    /// The identifier; the document's, too.
    public var id: String
    /// The remote's tag for this state of the item (an ETag, say); nil when it gave none.
    public var version: String?
    /// True for an item that was deleted there.
    public var isDeleted: Bool
    /// True for an item that is there but no longer among those the query asks for, or that we may
    /// see no more.
    ///
    /// Its document is purged here, without a word to the remote, unless it has something to
    /// tell first. Such an item needs no members.
    public var isOutOfScope = false
    /// True when null may stand for a member that the item does not have, as in a table that shows
    /// every column it has.
    ///
    /// Null and nothing are the same then: a document keeps the one that it has, and takes a null
    /// only for a member that it had.
    public var nullMayMeanAbsent = false
    /// Why the item cannot be a document here; nil for one that can.
    ///
    /// It is set aside then, and its members do not matter. One without an identifier that can be read
    /// has an empty one, and a fault that says which item it is (``ItemFault/place``).
    public var fault: ItemFault?
    /// The document's members, without `id` and without anything the remote added.
    ///
    /// - Complexity: To ask for them makes a dictionary when the back-end gave them packed.
    public var members: [String: JSONValue] {
        get { form.value.objectValue ?? [:] }
        _modify {
            // Let go of before it is changed, so that the dictionary is not copied.
            var members = form.value.objectValue ?? [:]
            given = GivenMembers(form: .value(.null))
            ready.value = nil
            defer { given = GivenMembers(form: .value(.object(members))) }
            yield &members
        }
    }
    /// The members, an object.
    ///
    /// - Complexity: Where ``describesNone`` is true, they are put together each time.
    var form: JSONForm { given.form }
    private var given: GivenMembers
    /// The document that the members make; nil where nobody has made it, and where it has attachments.
    private(set) var ready = Derived<ReadyDocument?>(nil)
    /// When the remote says the item was made.
    public var created: Date?
    /// When the remote says it was last changed.
    public var updated: Date?

    /// An item.
    public init(
        id: String, version: String?, isDeleted: Bool = false, members: [String: JSONValue],
        created: Date? = nil, updated: Date? = nil
    ) {
        self.id = id
        self.version = version
        self.isDeleted = isDeleted
        given = GivenMembers(form: .value(.object(members)))
        self.created = created
        self.updated = updated
    }

    /// An item whose members are packed: a sound object.
    ///
    /// One that is going to be stored as a document is made ready at once, beside whoever stores other items.
    package init(
        id: String, version: String?, isDeleted: Bool = false, packed: PackedValue,
        created: Date? = nil, updated: Date? = nil, isPrepared: Bool = true
    ) {
        self.id = id
        self.version = version
        self.isDeleted = isDeleted
        given = GivenMembers(form: .packed(packed))
        self.created = created
        self.updated = updated
        if isPrepared, !isDeleted, !packed.hasMember(AttachmentMember.name) {
            ready.value = ReadyDocument(packed, version: version)
        }
    }

    /// Whether the members are those of ``ready``, and a description of no attachments.
    var describesNone: Bool { given.describesNone }

    /// The item with a description of its attachments, or with none.
    ///
    /// Where attachments are carried, an item without the member has none; where they are not, what a
    /// remote describes is not ours to change, and is not seen.
    func describingAttachments(_ isTrue: Bool) -> RemoteItem {
        var item = self
        item.describeAttachments(isTrue)
        return item
    }

    /// Adds a description of its attachments, or takes it away; see ``describingAttachments(_:)``.
    mutating func describeAttachments(_ isTrue: Bool) {
        if ready.value != nil, isTrue || !describesNone {
            given.describesNone = isTrue
            return
        }
        let description = form[AttachmentMember.name]
        let isDescribed = AttachmentMember.attachments(of: description) != nil
        guard isTrue ? description == nil : isDescribed else { return }
        if isTrue, let whole = try? form.packed?.merging(AttachmentMember.none) {
            given = GivenMembers(form: .packed(whole))
            return
        }
        members[AttachmentMember.name] = isTrue ? [:] : nil
    }
}

/// The members that a back-end gave, perhaps with a description of no attachments that it did not give.
private struct GivenMembers: Sendable {
    private let given: JSONForm
    /// Whether a description is to be added.
    var describesNone = false

    init(form: JSONForm) { given = form }

    var form: JSONForm {
        guard describesNone else { return given }
        if let whole = try? given.packed?.merging(AttachmentMember.none) { return .packed(whole) }
        var members = given.value.objectValue ?? [:]
        members[AttachmentMember.name] = [:]
        return .value(.object(members))
    }
}

extension GivenMembers: Hashable {
    static func == (left: GivenMembers, right: GivenMembers) -> Bool { left.form == right.form }

    func hash(into hasher: inout Hasher) { hasher.combine(form) }
}
