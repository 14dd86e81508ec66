import Foundation
import Settle

extension CouchDatabase {
    /// Stores a document as a new revision.
    ///
    /// - Parameters:
    ///   - input: The document, with the revision that it follows.
    ///   - id: Its identifier.
    ///   - transaction: The transaction. Nothing was written in it when ``CouchError`` is thrown.
    /// - Returns: The new revision.
    /// - Throws: ``CouchError``, ``DatabaseError``.
    func put(
        _ input: CouchInput, _ id: String, in transaction: Transaction
    ) throws -> String {
        let tree = try transaction.revisionTree(of: id)
        try checkWrite(
            of: input.members, isDeleted: input.isDeleted, to: id, tree, hidden: .conflict,
            in: transaction)
        if DocumentIdentifier.isDesign(id), let views = try input.members.packedMember("views"),
            !views.isObject
        {
            throw CouchError(
                400, "invalid_design_doc", "`views` field must have object type")
        }
        let parent = try Self.parent(of: input, in: tree)
        let (document, generations) = try document(
            input, id, after: parent.map { [$0] } ?? [], in: transaction)
        guard let parent else {
            guard input.isDeleted else {
                return try transaction.save(document).metaData.revision ?? ""
            }
            return try Self.deleteUnknown(document, in: transaction)
        }
        let leaf = tree?.leaf(parent)
        let channels = try inherited(by: input, from: leaf, tree, id, in: transaction)
        let stored = try transaction.save(
            document, afterLeaf: parent.description, isDeleted: input.isDeleted)
        let revision = stored.metaData.revision ?? ""
        try Self.noteChannels(channels, as: revision, after: leaf, of: id, in: transaction)
        try Self.noteGenerations(
            generations, as: revision, after: parent, of: id, in: transaction)
        return revision
    }

    /// The channels that a deletion without any has from the leaf that it ends; nil for everything else.
    private func inherited(
        by input: CouchInput, from leaf: RevisionTree.Leaf?, _ tree: RevisionTree?, _ id: String,
        in transaction: Transaction
    ) throws -> [String?]? {
        guard input.isDeleted, let leaf, let tree, try input.members.member("channels") == nil
        else { return nil }
        return try Self.channels(of: leaf, tree, id, in: transaction)
    }

    /// The leaf that a new revision follows; nil for a document that there never was.
    private static func parent(
        of input: CouchInput, in tree: RevisionTree?
    ) throws(CouchError) -> RevisionName? {
        guard let text = input.revision else {
            // A deleted document is continued, whoever deleted it.
            guard let winner = tree?.winner else { return nil }
            guard winner.isDeleted else { throw .conflict }
            return winner.name
        }
        guard let name = RevisionName(text) else { throw .invalidRevision }
        guard let tree, tree.leaf(name) != nil else { throw .conflict }
        return name
    }

    /// Stores the deletion of a document that there never was.
    private static func deleteUnknown(
        _ document: Document, in transaction: Transaction
    ) throws -> String {
        let revision = Revision(
            parent: nil, isDeleted: true, body: try document.packed()
        ).description
        try transaction.store(document, revisions: [revision], isDeleted: true)
        return revision
    }

    /// Stores a revision as it was given, with its ancestors.
    func give(
        _ input: CouchInput, _ id: String, in transaction: Transaction
    ) throws {
        let revisions = try input.givenRevisions()
        let names = revisions.compactMap { RevisionName($0) }
        guard names.count == revisions.count else { throw CouchError.invalidRevision }
        let known = try transaction.revisionTree(of: id)
        try checkWrite(
            of: input.members, isDeleted: input.isDeleted, to: id, known, hidden: .hidden,
            in: transaction)
        let isKnown = known?.contains(names[0]) ?? false
        let leaf = names.dropFirst().lazy.compactMap { known?.leaf($0) }.first
        let (document, generations) =
            isKnown
            ? (Document(id: id), [:])
            : try document(
                input, id, after: Array(names.dropFirst()), isGiven: true, in: transaction)
        let channels = try inherited(by: input, from: leaf, known, id, in: transaction)
        try transaction.store(
            document, revisions: revisions, isDeleted: input.isDeleted, from: "couchdb")
        guard !isKnown else { return }
        try Self.noteChannels(channels, as: revisions[0], after: leaf, of: id, in: transaction)
        try Self.noteGenerations(
            generations, as: revisions[0], after: leaf?.name, of: id, in: transaction)
    }

    /// The document that an input makes, with the attachments that it keeps, and the generations of those.
    ///
    /// - Parameters:
    ///   - input: The document as it came.
    ///   - id: Its identifier.
    ///   - ancestors: The revisions that it follows, newest first.
    ///   - isGiven: Whether it is a revision that was made elsewhere.
    ///   - transaction: The transaction.
    /// - Returns: The document, and when its attachments came to it.
    /// - Throws: ``CouchError`` 412 `missing_stub` for a stub of what is not there: whoever replicates sends the
    ///   content then; ``DatabaseError``.
    private func document(
        _ input: CouchInput, _ id: String, after ancestors: [RevisionName],
        isGiven: Bool = false, in transaction: Transaction
    ) throws -> (document: Document, generations: [String: Int]) {
        var document = Document(id: id, packed: input.members)
        var generations: [String: Int] = [:]
        guard !input.attachments.isEmpty else { return (document, [:]) }
        var kept = CouchKeptAttachments(id, after: ancestors, try tree(of: id, in: transaction))
        document.attachments = try input.attachments.map { attachment in
            // What a revision from elsewhere has, and what is there already, is kept whatever it is called.
            if case .stub = attachment.content {
            } else if !isGiven {
                try CouchInput.checkName(ofAttachment: attachment.name)
            }
            switch attachment.content {
            case .content(let content):
                // What replicates says where it is from.
                generations[attachment.name] =
                    input.revisions == nil ? nil : attachment.generation.map { max(1, $0) }
                return try Self.attachment(
                    attachment.name, attachment.contentType, content, in: transaction)
            case .stub:
                guard
                    let found = try kept.attachment(
                        for: attachment, comparesDigest: isGiven, in: transaction)
                else {
                    throw CouchError(
                        412, "missing_stub",
                        "Invalid attachment stub in \(id) for \(attachment.name)")
                }
                generations[attachment.name] = found.generation
                return found.attachment
            case .follows:
                throw CouchError.badRequest("The content of '\(attachment.name)' does not follow.")
            }
        }
        return (document, generations)
    }

    /// An attachment of a content, whose MD5 is kept beside our digest.
    static func attachment(
        _ name: String, _ type: String, _ content: CouchContent, in transaction: Transaction
    ) throws -> DocumentAttachment {
        let attachment = content.attachment(named: name, type: type)
        try transaction.sideTable(named: md5Table)
            .set(content.md5, for: Array(attachment.digest.utf8))
        return attachment
    }

    /// Stores a document that a request brings, contents and all, in a commit of its own.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: The document.
    ///   - newEdits: Whether it is a new revision.
    ///   - prepare: Called with the document before its contents are read.
    /// - Returns: The revision.
    /// - Throws: What `prepare` throws; ``CouchError``, ``DatabaseError``. No content stays then.
    func put(
        _ request: CouchRequest, _ id: String, newEdits: Bool,
        prepare: (inout CouchInput) throws -> Void
    ) async throws -> String {
        guard request.hasParts else {
            var input = try CouchInput(text: request.body)
            try prepare(&input)
            return try await put(input, id, newEdits: newEdits)
        }
        let reader = try CouchPartsReader(
            request.upload, type: request.headers["content-type"] ?? "")
        var input = try await reader.document()
        try prepare(&input)
        try CouchInput.check(id)
        // What is refused anyway need not come.
        try database.read { [input] snapshot in
            let tree = try snapshot.revisionTree(of: id)
            try checkWrite(
                of: input.members, isDeleted: input.isDeleted, to: id, tree,
                hidden: newEdits ? .conflict : .hidden, in: snapshot)
            if newEdits { _ = try Self.parent(of: input, in: tree) }
        }
        let result: Result<String, any Error>
        do {
            try await reader.takeContents(of: &input, into: database)
            result = .success(try await put(input, id, newEdits: newEdits))
        } catch {
            result = .failure(error)
        }
        // A document that was there already takes none.
        for case .content(let content) in input.attachments.map(\.content) {
            await content.discard(from: database)
        }
        return try result.get()
    }

    /// Stores one document in a commit of its own.
    func put(_ input: CouchInput, _ id: String, newEdits: Bool = true) async throws -> String {
        try CouchInput.check(id)
        return try await database.write { transaction in
            if newEdits { return try put(input, id, in: transaction) }
            try give(input, id, in: transaction)
            return try input.givenRevisions()[0]
        }
    }

    /// Stores the members and attachments of a document as another one.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - revision: The leaf of it; nil for the one that wins.
    ///   - target: The other document.
    ///   - last: The leaf of that to follow; nil when it is to be new.
    /// - Returns: The new revision.
    /// - Throws: ``CouchError``, ``DatabaseError``.
    func copy(
        _ id: String, _ revision: String?, to target: String, after last: String?
    ) async throws -> String {
        try await database.write { transaction in
            let seen = try tree(of: id, in: transaction)
            let named = revision.flatMap { RevisionName($0) }.flatMap { seen?.leaf($0) }
            guard let leaf = revision == nil ? seen?.winner : named, !leaf.isDeleted,
                let found = try transaction.document(id, atRevision: leaf.name.description)
            else { throw CouchError.missing }
            let tree = try transaction.revisionTree(of: target)
            var document = Document(id: target, packed: try found.packed())
            document.attachments = found.attachments
            try checkWrite(
                of: document.packed(), isDeleted: false, to: target, tree, hidden: .conflict,
                in: transaction)
            if let last {
                guard let name = RevisionName(last), tree?.leaf(name) != nil else {
                    throw CouchError.conflict
                }
                return try transaction.save(document, afterLeaf: last).metaData.revision ?? ""
            }
            guard tree?.winner?.isDeleted ?? true else { throw CouchError.conflict }
            return try transaction.save(document).metaData.revision ?? ""
        }
    }

    /// Stores many documents in one commit, each on its own merits.
    ///
    /// - Returns: The answer of `_bulk_docs`: all results, or without new edits the failures alone.
    func putAll(_ body: [UInt8]) async throws -> JSONValue {
        let bulk = try CouchBulk(body)
        let newEdits = bulk.newEdits
        return try await database.write { transaction in
            var results: [JSONValue] = []
            for (id, result) in bulk.documents {
                do {
                    try CouchInput.check(id)
                    let input = try result.get()
                    if newEdits {
                        let revision = try put(input, id, in: transaction)
                        results.append(
                            ["ok": true, "id": .string(id), "rev": .string(revision)])
                    } else {
                        try give(input, id, in: transaction)
                    }
                } catch let error as CouchError {
                    let revision = newEdits ? nil : try? result.get().revision
                    results.append(Self.failure(error, id, revision))
                } catch let error as DatabaseError
                    where Self.concernOneDocument.contains(error.code)
                {
                    results.append(Self.failure(CouchError(error), id, nil))
                }
            }
            return .array(results)
        }
    }

    private static let concernOneDocument: Set<DatabaseError.Code> = [
        .conflict, .invalidDocument, .invalidDocumentId, .documentTooLarge, .invalidAttachment,
    ]

    private static func failure(
        _ error: CouchError, _ id: String, _ revision: String?
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "error": .string(error.error), "reason": .string(error.reason),
        ]
        if let revision { members["rev"] = .string(revision) }
        return .object(members)
    }

    /// An identifier for a document that came without one.
    static func newIdentifier() -> String {
        UUID().uuidString.replacing("-", with: "").lowercased()
    }
}
