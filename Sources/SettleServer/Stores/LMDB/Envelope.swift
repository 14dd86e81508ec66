import Settle
import SettleOData
import SettleTableProtocol

/// How an item lies in a Settle document.
///
/// Shape: the document's id is the item's; its members are `item` (object), `createdAt` and
/// `updatedAt` (microseconds since 1970, whole numbers) and `deleted` (boolean), and `left`
/// (object: channels that the item has left -> the `updatedAt` of that write) unless there are
/// none, and `version` (string) when the item was brought over from another store with the version it
/// had there; otherwise its version is made of the document's revision. The item's attachments are the document's. A deleted item
/// is a live document with `deleted` true: the index finds it like any other change, and it keeps
/// its members, above all the channels that say who may be told of it.
enum Envelope {
    static let item = "item"
    static let createdAt = SystemColumn.createdAt.rawValue
    static let updatedAt = SystemColumn.updatedAt.rawValue
    static let deleted = SystemColumn.deleted.rawValue
    static let left = "left"
    static let version = SystemColumn.version.rawValue

    /// The item of a stored document.
    ///
    /// The members stay packed.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted` when the document is no envelope, as after
    ///   another program wrote into the server's database.
    static func item(of document: Document) throws -> TableItem {
        let body = try document.packed()
        let envelope = PackedView(body.bytes.span)
        guard let packed = try envelope.member(item)?.copy(),
            let members = ItemMembers(packed: packed),
            let createdAt = try envelope.integer(createdAt),
            let updatedAt = try envelope.integer(updatedAt),
            let isDeleted = try envelope.bool(deleted),
            let removals = ChannelRemovals(try envelope.member(left)?.value()),
            let revision = document.storedRevision
        else {
            throw foreign(document.id)
        }
        return TableItem(
            id: document.id, members: members, createdAt: Instant(microseconds: createdAt),
            updatedAt: Instant(microseconds: updatedAt),
            storedVersion: try envelope.string(version).map { .text($0) } ?? .revision(revision),
            isDeleted: isDeleted,
            attachments: try document.attachments.map(AttachmentDescription.init),
            removals: removals)
    }

    private static let names = PackedNames(
        [item, createdAt, updatedAt, deleted, left, version].sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        })

    /// The item of a stored document that has no attachments, each of its parts looked up once and copied
    /// once.
    ///
    /// - Parameters:
    ///   - view: The document.
    ///   - id: Its id.
    ///   - checksMembers: Whether all of it is looked through for damage.
    /// - Returns: The item; nil when something is attached.
    /// - Throws: As ``item(of:)``.
    static func item(
        of view: borrowing DocumentView, id: String, checkingMembers checksMembers: Bool
    ) throws -> TableItem? {
        let (revision, hasAttachments) = try view.state()
        guard !hasAttachments else { return nil }
        if checksMembers { try view.check() }
        var members: ItemMembers?
        var times: (created: Int64?, updated: Int64?)
        var isDeleted: Bool?
        var removals: ChannelRemovals? = ChannelRemovals()
        var version = ItemVersion.revision(revision)
        try view.packed.forEachMember(of: names) { place, value in
            // In the order of the names.
            switch place {
            case 0: times.created = try value.integer
            case 1: isDeleted = try value.bool
            case 2: members = ItemMembers(packed: value.copy())
            case 3: removals = ChannelRemovals(try value.value())
            case 4: times.updated = try value.integer
            default: if let text = try value.string { version = .text(text) }
            }
        }
        guard let members, let created = times.created, let updated = times.updated,
            let isDeleted, let removals
        else { throw foreign(id) }
        return TableItem(
            id: id, members: members, createdAt: Instant(microseconds: created),
            updatedAt: Instant(microseconds: updated), storedVersion: version,
            isDeleted: isDeleted, attachments: [], removals: removals)
    }

    private static func foreign(_ id: String) -> DatabaseError {
        DatabaseError(
            .corrupted,
            "The document '\(id)' was not written by the server; keep the "
                + "databases of a server apart from others.", documentId: id)
    }

    /// The document to store for an item, without its attachments.
    ///
    /// - Parameters:
    ///   - item: The item; with an empty version its version becomes that of the document.
    ///   - revision: The document's revision until now.
    /// - Returns: The document.
    /// - Throws: `PackedError` when it has something that cannot be stored, or too much.
    static func document(_ item: TableItem, revision: Revision?) throws(PackedError) -> Document {
        let members = try item.members.packed()
        var envelope = PackedObjectBuilder(reservingCapacity: members.bytes.count + 64)
        try envelope.append(createdAt) { $0.append(item.createdAt.microseconds) }
        try envelope.append(deleted) { $0.append(item.isDeleted) }
        try envelope.append(Self.item) { $0.append(members) }
        if let removals = item.removals.json {
            try envelope.append(left) { value throws(PackedError) in try value.append(removals) }
        }
        try envelope.append(updatedAt) { $0.append(item.updatedAt.microseconds) }
        let version = item.version
        if !version.isEmpty {
            try envelope.append(Self.version) { value throws(PackedError) in
                try value.append(version)
            }
        }
        let packed = envelope.finish()
        guard packed.bytes.count <= JSONLimits.default.sizeMax else { throw PackedError(.tooLarge) }
        return Document(id: item.id, packed: packed, revision: revision)
    }
}
