import Settle

/// Which attachments a revision has that a remote has, too: a later revision need not bring them again.
///
/// Shape (Docs/Formats/Replication.md): layout, revision, count, names with digests and types.
struct AttachmentNote: Sendable, Hashable {
    let id: String
    /// The revision.
    let revision: String
    /// Its attachments, by name.
    let contents: [String: Content]

    /// An attachment that need not go again as long as both are the same: the remote keeps its type with its content.
    struct Content: Sendable, Hashable {
        let digest: String
        let type: String
    }

    /// The attachments of a document; nil when it has none.
    init?(_ document: Document, _ revision: String) {
        if document.attachments.isEmpty { return nil }
        id = document.id
        self.revision = revision
        contents = Dictionary(document.attachments.map { ($0.name, Content($0)) }) { $1 }
    }
}

extension AttachmentNote.Content {
    fileprivate init(_ attachment: DocumentAttachment) {
        self.init(digest: attachment.digest, type: attachment.contentType)
    }
}

extension AttachmentNote {
    private enum Layout {
        /// Without types, so that nothing is known of an attachment.
        static let untyped: UInt8 = 1
        static let typed: UInt8 = 2
    }

    func encoded() -> [UInt8] {
        var row = RowWriter()
        row.write(byte: Layout.typed)
        row.write(counted: revision.utf8)
        row.write(number: UInt64(contents.count))
        for (name, content) in contents.sorted(by: { $0.key < $1.key }) {
            row.write(counted: name.utf8)
            row.write(counted: content.digest.utf8)
            row.write(counted: content.type.utf8)
        }
        return row.bytes
    }

    init(decoding bytes: [UInt8], id: String) throws {
        var row = RowReader(bytes, place: "the attachments of document '\(id)' at a remote")
        let layout = try row.byte()
        guard (Layout.untyped...Layout.typed).contains(layout) else { throw row.damage }
        self.id = id
        revision = try row.text()
        var contents: [String: Content] = [:]
        for _ in 0..<(try row.count()) {
            let (name, digest) = (try row.text(), try row.text())
            if layout == Layout.untyped { continue }
            contents[name] = Content(digest: digest, type: try row.text())
        }
        self.contents = contents
    }
}

extension RemoteTables {
    /// Remote, document -> ``AttachmentNote``.
    static let attachmentsName = "sync.attachments"

    /// The attachments of a document that the remote has in the revision before a leaf.
    ///
    /// - Parameters:
    ///   - document: The document at the leaf.
    ///   - ancestors: The revisions before it.
    ///   - leaves: The leaves that the remote has.
    /// - Returns: The names of those with the same content and the same type.
    /// - Throws: What the database throws when it cannot be read.
    func knownAttachments(
        of document: Document, after ancestors: [String], among leaves: [String]
    ) throws -> Set<String> {
        guard
            let bytes = try snapshot.table(Self.attachmentsName)?
                .value(for: documentKey(document.id))
        else { return [] }
        let note = try AttachmentNote(decoding: bytes, id: document.id)
        guard ancestors.contains(note.revision), leaves.contains(note.revision) else { return [] }
        let known = document.attachments.filter {
            note.contents[$0.name] == AttachmentNote.Content($0)
        }
        return Set(known.map(\.name))
    }

    /// Notes the attachments of a revision that the remote has.
    func setNote(_ note: AttachmentNote, in transaction: Transaction) throws {
        try transaction.sideTable(named: Self.attachmentsName)
            .set(note.encoded(), for: documentKey(note.id))
    }

    /// Whether it is noted which attachments of a document the remote has.
    func hasNote(ofDocumentWithId id: String) throws -> Bool {
        try snapshot.table(Self.attachmentsName)?.value(for: documentKey(id)) != nil
    }

    /// Forgets which attachments of a document the remote has.
    func removeNote(ofDocumentWithId id: String, in transaction: Transaction) throws {
        guard try transaction.table(Self.attachmentsName) != nil else { return }
        _ = try transaction.sideTable(named: Self.attachmentsName).remove(documentKey(id))
    }
}
