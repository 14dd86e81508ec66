import Foundation
import Settle

/// An item of the server as it is kept here: a document as both sides last had it (the base), or
/// what came while they did not.
///
/// Shape (Docs/Formats/Replication.md): that of a state; see ``BaseNote`` for one whose members are a
/// document's.
struct BaseItem: Sendable, Hashable {
    var presence: ServerPresence
    var version: String?
    /// The members, an object; nil when they are not known.
    var form: JSONForm? {
        didSet { ready.value = nil }
    }
    /// See ``RemoteItem/ready``.
    private(set) var ready = Derived<ReadyDocument?>(nil)
    /// The members; for a deleted item those it was deleted with, as far as they are known.
    ///
    /// - Complexity: To ask for them makes a dictionary when they are packed.
    var members: [String: JSONValue]? {
        get { form?.value.objectValue }
        _modify {
            // Let go of before it is changed, so that the dictionary is not copied.
            var members = form?.value.objectValue
            form = nil
            defer { form = members.map { .value(.object($0)) } }
            yield &members
        }
    }
    var updated: Date?
    /// The hash of the query that showed the item last; 0 when none did since it was sent.
    ///
    /// Says which query removes the document when the item leaves its scope.
    var source: UInt64 = 0
    /// Whether the server shows null for members that an item does not have, too.
    var nullMayMeanAbsent = false
    /// Those of the members that were sent and that the server has not shown since, or not whole.
    ///
    /// It leaves them out of its answers, or does not store them. They are kept as they were sent.
    var unshown: Set<String> = []
    /// Those of the members whose numbers the server shows rounded, as it shows them.
    ///
    /// They are kept as they were sent.
    var rounded: [String: JSONValue] = [:]

    /// No such item, not even a deleted one.
    static let absent = BaseItem(presence: .absent)

    var isLive: Bool { presence == .live }

    init(presence: ServerPresence, version: String? = nil, members: [String: JSONValue]? = nil) {
        self.presence = presence
        self.version = version
        self.members = members
    }

    init(presence: ServerPresence, version: String?, form: JSONForm?) {
        self.presence = presence
        self.version = version
        self.form = form
    }

    init(_ item: RemoteItem) {
        self.init(
            presence: item.isDeleted ? .deleted : .live, version: item.version, form: item.form)
        ready = item.ready
        updated = item.updated
        nullMayMeanAbsent = item.nullMayMeanAbsent
    }

    /// The members that the server has shown, as it has shown them.
    var shownMembers: [String: JSONValue]? {
        rounded.isEmpty ? storedMembers : storedMembers?.merging(rounded) { $1 }
    }

    /// As ``shownMembers``, packed where the members are and the server shows them as they are.
    var shownForm: JSONForm? {
        if rounded.isEmpty, unshown.isEmpty { return form }
        return shownMembers.map { .value(.object($0)) }
    }

    /// The state with the members as the server has shown them.
    var asShown: BaseItem {
        var state = self
        (state.members, state.rounded, state.unshown) = (shownMembers, [:], [])
        return state
    }

    /// The members that the server is known to have, as they are here.
    var storedMembers: [String: JSONValue]? {
        unshown.isEmpty ? members : members?.filter { !unshown.contains($0.key) }
    }

    /// Whether this is the same state of the item: by the versions, or without them by content.
    func isSame(as other: BaseItem) -> Bool {
        guard presence == other.presence, version == other.version else { return false }
        return version != nil || hasContent(of: other)
    }

    /// Whether a row shows the same members.
    private func hasContent(of row: BaseItem) -> Bool {
        guard let shown = shownMembers, let others = row.members else {
            return members == nil && row.members == nil
        }
        return JSONValue.object(row.nullMayMeanAbsent ? shown.withoutNulls : shown)
            .isLoosely(.object(row.nullMayMeanAbsent ? others.withoutNulls : others))
    }

    /// Whether the server says that this state was written after another.
    func isLater(than other: BaseItem) -> Bool {
        guard let updated, let otherUpdated = other.updated else { return false }
        return updated > otherUpdated
    }

    /// Whether this is the same state of the item, seen when the server did not tell its version:
    /// some answer a deletion with nothing.
    func isNamed(by other: BaseItem) -> Bool {
        guard version == nil, other.version != nil, presence == other.presence else { return false }
        return !isLive || shownMembers.map { other.holds($0) } ?? false
    }

    /// Whether the document is what this state says: live with these members, or not there.
    func isEqual(to document: Document?) -> Bool {
        guard let document else { return !isLive }
        guard isLive, let form else { return false }
        return form.hasSameMembers(as: document.form(withAttachments: carriesAttachments))
    }

    /// Whether nothing has to be sent to make both equal: as ``isEqual(to:)``, but that null is as
    /// good as nothing where the server does not tell the two apart.
    func isLike(_ document: Document?) -> Bool {
        if isEqual(to: document) { return true }
        guard nullMayMeanAbsent, isLive, let form, let document else { return false }
        let here = document.form(withAttachments: carriesAttachments)
        if form.hasNoNull, here.hasNoNull { return false }
        return form.value.objectValue?.withoutNulls == here.value.objectValue?.withoutNulls
    }

    /// The version in the form in which a note has it.
    var noteVersion: NoteVersion {
        ready.value.map { $0.note(of: version) } ?? NoteVersion(version)
    }

    /// Whether the server describes the item's attachments; otherwise those here are its own
    /// business.
    var carriesAttachments: Bool {
        // Members of a ready document have a description when it was added to them.
        if let ready = ready.value { return form?.packed?.bytes.count != ready.body.bytes.count }
        return AttachmentMember.attachments(of: form?[AttachmentMember.name]) != nil
    }

    /// Whether the item is live and shows every one of `sent` as it was sent.
    ///
    /// The server may have added members of its own as long as they are null (a table shows
    /// every column it has), and may write a whole number with or without a fraction, or rounded where
    /// `isRounded` allows it. What it says of attachments does not count where `sent` says nothing of
    /// them.
    func holds(_ sent: [String: JSONValue], isRounded: Bool = false) -> Bool {
        guard isLive, let members else { return false }
        for (name, value) in sent
        where !value.isLoosely(members[name] ?? .null, isRounded: isRounded) {
            // Two numbers of ours may be shown as one.
            guard isRounded, let shown = rounded[name], value.isLoosely(shown, isRounded: true)
            else { return false }
        }
        return members.allSatisfy { name, value in
            value.isNull || sent[name] != nil || name == AttachmentMember.name && carriesAttachments
        }
    }
}

extension JSONForm {
    /// Whether packed members are known to have no null among them.
    fileprivate var hasNoNull: Bool { (try? packed?.hasNull()) == false }
}
