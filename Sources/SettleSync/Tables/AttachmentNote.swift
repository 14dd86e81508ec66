import Settle

/// Which attachments a revision has that a remote has, too: a later revision need not bring them again.
///
/// Shape (Docs/Formats/Replication.md): layout, revision, count, names and digests.
struct AttachmentNote: Sendable, Hashable {
    let id: String
    /// The revision.
    let revision: String
    /// The digests of its attachments, by name.
    let digests: [String: String]

    /// The attachments of a document; nil when it has none.
    init?(_ document: Document, _ revision: String) {
        if document.attachments.isEmpty { return nil }
        id = document.id
        self.revision = revision
        digests = Dictionary(document.attachments.map { ($0.name, $0.digest) }) { $1 }
    }
}

extension AttachmentNote {
    private static let layout: UInt8 = 1

    func encoded() -> [UInt8] {
        var row = RowWriter()
        row.write(byte: Self.layout)
        row.write(counted: revision.utf8)
        row.write(number: UInt64(digests.count))
        for (name, digest) in digests.sorted(by: { $0.key < $1.key }) {
            row.write(counted: name.utf8)
            row.write(counted: digest.utf8)
        }
        return row.bytes
    }

    init(decoding bytes: [UInt8], id: String) throws {
        var row = RowReader(bytes, place: "the attachments of document '\(id)' at a remote")
        guard try row.byte() == Self.layout else { throw row.damage }
        self.id = id
        revision = try row.text()
        var digests: [String: String] = [:]
        for _ in 0..<(try row.count()) {
            let name = try row.text()
            digests[name] = try row.text()
        }
        self.digests = digests
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
    /// - Returns: The names of those with the same content.
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
        return Set(document.attachments.filter { note.digests[$0.name] == $0.digest }.map(\.name))
    }

    /// Notes the attachments of a revision that the remote has.
    func setNote(_ note: AttachmentNote, in transaction: Transaction) throws {
        try transaction.sideTable(named: Self.attachmentsName)
            .set(note.encoded(), for: documentKey(note.id))
    }

    /// Forgets which attachments of a document the remote has.
    func removeNote(ofDocumentWithId id: String, in transaction: Transaction) throws {
        guard try transaction.table(Self.attachmentsName) != nil else { return }
        _ = try transaction.sideTable(named: Self.attachmentsName).remove(documentKey(id))
    }
}
