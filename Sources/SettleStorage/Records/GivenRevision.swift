package import SettleDocuments

/// A revision as somebody else made it, with what it holds and what it came from.
package struct GivenRevision: Sendable {
    /// The revision and those before it.
    package var path: RevisionPath
    /// True for a deletion.
    package var isDeleted: Bool
    /// What is attached; the content must be stored.
    package var attachments: [AttachmentRecord]
    /// The members.
    package var body: PackedValue
    /// The replication that it comes from; nil when it does not come from one.
    package var origin: String?

    /// A revision that was given.
    package init(
        path: RevisionPath, isDeleted: Bool = false, attachments: [AttachmentRecord] = [],
        body: PackedValue, origin: String? = nil
    ) {
        self.path = path
        self.isDeleted = isDeleted
        self.attachments = attachments
        self.body = body
        self.origin = origin
    }

    /// Whether the digest is not the one that an edit made here would have.
    ///
    /// Between databases of this kind revisions are what their members give, and can be verified.
    var isForeign: Bool {
        guard path.name.isRevision, path.digests.count > 1 || path.generation == 1 else {
            return true
        }
        let parent = path.digests.count > 1 ? path[1].standIn : nil
        return Revision(
            parent: parent, isDeleted: isDeleted, body: body,
            attachments: attachments.isEmpty ? [] : AttachmentRecord.encode(attachments))
            != path.name.standIn
    }

}

extension RevisionPath {
    /// The ancestors that a record keeps.
    package var recordAncestors: [Revision.Digest] {
        digests.dropFirst().prefix(DocumentRecord.ancestorCountMax).map(\.standIn)
    }
}
