import SettleDocuments
import SettleStorage

extension ExportedDocument {
    /// Makes a document of the members of a line.
    ///
    /// - Parameters:
    ///   - members: The members of the line; those of a document are taken out.
    ///   - body: The document's own members.
    ///   - hasTrees: Whether the format has leaves, revisions that were given, and long ancestry.
    /// - Throws: ``ExportFault`` when one is missing, or when the revision is not that of the rest.
    init(
        _ members: inout ExportMembers, body: PackedValue?, hasTrees: Bool = false
    ) throws(ExportFault) {
        id = try members.text("id")
        do {
            try DocumentIdentifier.check(id)
        } catch {
            throw ExportFault(error.description)
        }
        guard let body else {
            throw ExportFault(
                "The member 'members' is missing; a document without members has {}.",
                documentId: id)
        }
        var listed = try Self.attachments(try members.array("attachments"))
        let sequence = try members.sequence("sequence", from: 1)
        let revision: Revision
        let ancestors: [Revision.Digest]
        if hasTrees {
            let path = try Self.path(&members)
            (revision, ancestors) = (path.name.standIn, path.recordAncestors)
            self.path = path
        } else {
            revision = try Self.revision(try members.text("revision"))
            ancestors = try Self.ancestors(try members.array("ancestors"))
        }
        record = DocumentRecord(
            sequence: sequence, revision: revision, ancestors: ancestors,
            isDeleted: try members.flag("deleted"),
            created: try members.date("created"), changed: try members.date("changed"),
            expiration: try members.optionalDate("expires"),
            origin: try members.optionalText("origin"),
            attachments: listed.map(\.record), body: body)
        if hasTrees {
            isLeaf = try members.flag("leaf")
            record.isGiven = try members.flag("given")
        }
        listed.removeAll { !$0.hasContent }
        contents = listed.map(\.record.digest)
        if let problem { throw ExportFault(problem, documentId: id) }
    }

    /// What makes the document one that no database can have; nil when nothing does.
    private var problem: String? {
        if let length = record.origin?.utf8.count, length > DocumentRecord.originLengthMax {
            return "The member 'origin' has \(length) bytes, and at most "
                + "\(DocumentRecord.originLengthMax) are allowed."
        }
        if record.isDeleted, record.expiration != nil {
            return "A deleted document has no member 'expires'."
        }
        let names = Set(record.attachments.map { Array($0.name.utf8) })
        guard names.count == record.attachments.count else {
            return "Two attachments have the same name."
        }
        return record.hasFittingRevision
            ? nil
            : "The revision of the document is not the one that its members, attachments, and "
                + "ancestors give: the line was changed after it was written. Export again; or, to "
                + "store changed documents, import them as plain JSON, without revisions."
    }

    private static func path(_ members: inout ExportMembers) throws(ExportFault) -> RevisionPath {
        let text = try members.text("revision")
        guard let name = RevisionName(text), name.description.utf8.elementsEqual(text.utf8) else {
            throw ExportFault("The member 'revision' is a generation, a hyphen, and a digest.")
        }
        var digests = [name.digest]
        for value in try members.array("ancestors") {
            guard case .string(let text) = value, let digest = RevisionName.Digest(text: text.utf8)
            else { throw ExportFault("The member 'ancestors' is an array of digests.") }
            digests.append(digest)
        }
        guard let path = RevisionPath(generation: name.generation, digests: digests) else {
            throw ExportFault("The document has more ancestors than its revision allows.")
        }
        return path
    }

    private static func revision(_ text: String) throws(ExportFault) -> Revision {
        guard let revision = Revision(text) else {
            throw ExportFault(
                "The member 'revision' is a generation, a hyphen, and 32 hexadecimal digits.")
        }
        return revision
    }

    private static func ancestors(_ values: [JSONValue]) throws(ExportFault) -> [Revision.Digest] {
        var ancestors: [Revision.Digest] = []
        for value in values {
            // Written without generations, which count down from the revision's.
            guard case .string(let digits) = value, let ancestor = Revision("1-" + digits) else {
                throw ExportFault(
                    "The member 'ancestors' is an array of strings of 32 hexadecimal digits.")
            }
            ancestors.append(ancestor.digest)
        }
        return ancestors
    }

    private static func attachments(
        _ values: [JSONValue]
    ) throws(ExportFault) -> [(record: AttachmentRecord, hasContent: Bool)] {
        var list: [(record: AttachmentRecord, hasContent: Bool)] = []
        for value in values {
            guard case .object(let object) = value else {
                throw ExportFault("The member 'attachments' is an array of objects.")
            }
            var members = ExportMembers(object)
            let record = AttachmentRecord(
                name: try members.text("name"), contentType: try members.text("contentType"),
                digest: try members.digest("digest"), length: try members.count("length"))
            list.append((record, try members.flag("hasContent")))
            try members.finish()
        }
        return list
    }
}
