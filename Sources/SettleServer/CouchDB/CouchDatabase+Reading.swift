import Foundation
import Settle

extension CouchDatabase {
    /// The text of a leaf of a document.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - leaf: The leaf.
    ///   - tree: All revisions of the document.
    ///   - options: What is wanted beside the members.
    ///   - snapshot: The state it is read from.
    /// - Returns: JSON text.
    /// - Throws: ``CouchError`` when the leaf is not there, ``DatabaseError``.
    static func text(
        of id: String, _ leaf: RevisionTree.Leaf, _ tree: RevisionTree,
        _ options: CouchDocumentOptions, in snapshot: Snapshot
    ) throws -> [UInt8] {
        guard let document = try snapshot.document(id, atRevision: leaf.name.description) else {
            throw CouchError.missing
        }
        // What every document has needs no values that are only written.
        var text = Array("{\"_id\":".utf8)
        JSONText.append(id, to: &text)
        text += Array(",\"_rev\":".utf8)
        JSONText.append(leaf.name.description, to: &text)
        if leaf.isDeleted { text += Array(",\"_deleted\":true".utf8) }
        if options.revisions { Self.append(revisionsOf: leaf.name, tree, to: &text) }
        var special: [(String, JSONValue)] = []
        if !document.attachments.isEmpty {
            special.append(
                (
                    "_attachments",
                    try attachments(of: document, leaf, tree, options, in: snapshot)
                ))
        }
        if options.revisionsInformation {
            special.append(("_revs_info", information(of: leaf.name, tree)))
        }
        for (isWanted, isDeleted, name) in [
            (options.conflicts, false, "_conflicts"),
            (options.deletedConflicts, true, "_deleted_conflicts"),
        ] where isWanted {
            let names = tree.sortedLeaves.filter {
                $0.name != leaf.name && $0.isDeleted == isDeleted
            }.map(\.name.description)
            if !names.isEmpty { special.append((name, .array(names.map { .string($0) }))) }
        }
        if options.localSequence, let change = try snapshot.lastChange(of: id) {
            special.append(("_local_seq", .string(Self.text(ofSequence: change.sequence))))
        }
        for (name, value) in special {
            text += Array(",\"\(name)\":".utf8)
            JSONText.append(value, to: &text)
        }
        let members = try JSONText.text(of: document.packed())
        // An object without members is two bytes.
        if members.count > 2 { text.append(UInt8(ascii: ",")) }
        text += members.dropFirst()
        return text
    }

    /// Appends what CouchDB calls `_revisions`.
    private static func append(
        revisionsOf name: RevisionName, _ tree: RevisionTree, to text: inout [UInt8]
    ) {
        let digests = tree.path(to: name)?.digests ?? [name.digest]
        text += Array(",\"_revisions\":{\"start\":\(name.generation),\"ids\":[".utf8)
        for (place, digest) in digests.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            JSONText.append(digest.description, to: &text)
        }
        text += Array("]}".utf8)
    }

    private static func information(of name: RevisionName, _ tree: RevisionTree) -> JSONValue {
        let names = tree.path(to: name)?.names ?? [name]
        return .array(
            names.map { revision in
                let leaf = tree.leaf(revision)
                let status = leaf.map { $0.isDeleted ? "deleted" : "available" } ?? "missing"
                return ["rev": .string(revision.description), "status": .string(status)]
            })
    }

    private static func attachments(
        of document: Document, _ leaf: RevisionTree.Leaf, _ tree: RevisionTree,
        _ options: CouchDocumentOptions, in snapshot: Snapshot
    ) throws -> JSONValue {
        let older = try generations(of: leaf.name, document.id, in: snapshot)
        var members: [String: JSONValue] = [:]
        for attachment in document.attachments {
            let generation = older[attachment.name] ?? Int(leaf.name.generation)
            var description: [String: JSONValue] = [
                "content_type": .string(attachment.contentType),
                "revpos": .integer(Int64(generation)),
                "digest": .string("md5-" + (try md5(of: attachment, in: snapshot))),
            ]
            if !options.wantsContent(since: generation, leaf.name, tree) {
                description["stub"] = true
                description["length"] = .integer(Int64(attachment.length))
            } else if options.follows {
                description["follows"] = true
                description["length"] = .integer(Int64(attachment.length))
            } else {
                description["data"] = .string(try attachment.data().base64EncodedString())
            }
            members[attachment.name] = .object(description)
        }
        return .object(members)
    }

    /// The attachments of a leaf whose contents follow it, in the order in which its text names them.
    static func following(
        _ id: String, _ leaf: RevisionTree.Leaf, _ tree: RevisionTree,
        _ options: CouchDocumentOptions, in snapshot: Snapshot
    ) throws -> [DocumentAttachment] {
        let older = try generations(of: leaf.name, id, in: snapshot)
        let document = try snapshot.document(id, atRevision: leaf.name.description)
        return (document?.attachments ?? []).filter {
            options.wantsContent(
                since: older[$0.name] ?? Int(leaf.name.generation), leaf.name, tree)
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The MD5 of an attachment in Base64: what was noted or, of content that came another way, worked out.
    static func md5(of attachment: DocumentAttachment, in snapshot: Snapshot) throws -> String {
        let noted = try snapshot.table(md5Table)?.value(for: Array(attachment.digest.utf8))
        let bytes = try noted ?? CouchContent.md5(of: attachment.data())
        return Data(bytes).base64EncodedString()
    }

    /// Refuses the deletion of what is not there any more, or never was.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - isAimed: Whether the request names a revision. A reader of a part who does is not told whether there is a
    ///     document that is hidden.
    /// - Throws: ``CouchError`` 404, ``DatabaseError``.
    func checkDeletion(of id: String, isAimed: Bool) throws {
        let winner = try database.read { try tree(of: id, in: $0)?.winner }
        guard let winner else {
            if isLimited, isAimed { return }
            throw CouchError.missing
        }
        guard !winner.isDeleted else { throw CouchError.deleted }
    }

    /// GET of a document.
    ///
    /// - Returns: The text, and the revision that it is of.
    func document(
        _ id: String, _ revision: String?, _ options: CouchDocumentOptions
    ) throws -> (text: [UInt8], revision: String) {
        try database.read { snapshot in
            let (leaf, tree) = try leaf(revision, of: id, options, in: snapshot)
            return (
                try Self.text(of: id, leaf, tree, options, in: snapshot), leaf.name.description
            )
        }
    }

    /// The leaf that a GET is about: the one with a revision, or else the one that wins.
    ///
    /// - Throws: ``CouchError`` 404 when there is none.
    func leaf(
        _ revision: String?, of id: String, _ options: CouchDocumentOptions, in snapshot: Snapshot
    ) throws -> (leaf: RevisionTree.Leaf, tree: RevisionTree) {
        guard let tree = try tree(of: id, in: snapshot), let winner = tree.winner else {
            throw CouchError.missing
        }
        guard let revision else {
            guard !winner.isDeleted else { throw CouchError.deleted }
            return (winner, tree)
        }
        guard let name = RevisionName(revision) else { throw CouchError.invalidRevision }
        guard let leaf = Self.leaf(name, tree, options) else { throw CouchError.missing }
        return (leaf, tree)
    }

    static func leaf(
        _ name: RevisionName, _ tree: RevisionTree, _ options: CouchDocumentOptions
    ) -> RevisionTree.Leaf? {
        tree.leaf(name) ?? (options.latest ? tree.leaves(after: name).first : nil)
    }

    /// GET of a document with `open_revs`: each revision as `{"ok": …}` or `{"missing": …}`.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - wanted: The revisions; nil for all leaves.
    ///   - options: What is wanted beside the members.
    /// - Returns: JSON text.
    /// - Throws: ``CouchError`` for a text that is no revision, ``DatabaseError``.
    func openRevisions(
        _ id: String, _ wanted: [String]?, _ options: CouchDocumentOptions
    ) throws -> [UInt8] {
        try database.read { snapshot in
            let tree = try tree(of: id, in: snapshot) ?? RevisionTree()
            if wanted == nil, tree.isEmpty { throw CouchError.missing }
            let found = try Self.leaves(wanted, tree, options).map { leaf -> [UInt8] in
                switch leaf {
                case .success(let leaf):
                    return Array("{\"ok\":".utf8)
                        + (try Self.text(of: id, leaf, tree, options, in: snapshot)) + [0x7D]
                case .failure(let missing):
                    return JSONText.text(of: ["missing": .string(missing.text)])
                }
            }
            return [0x5B] + Array(found.joined(separator: [0x2C])) + [0x5D]
        }
    }

    struct MissingRevision: Error { let text: String }

    static func leaves(
        _ wanted: [String]?, _ tree: RevisionTree, _ options: CouchDocumentOptions
    ) throws(CouchError) -> [Result<RevisionTree.Leaf, MissingRevision>] {
        guard let wanted else { return tree.sortedLeaves.map { .success($0) } }
        var found: [Result<RevisionTree.Leaf, MissingRevision>] = []
        var seen: Set<RevisionName> = []
        for text in wanted {
            guard let name = RevisionName(text) else { throw .invalidRevision }
            let leaves =
                options.latest ? tree.leaves(after: name) : tree.leaf(name).map { [$0] } ?? []
            if leaves.isEmpty { found.append(.failure(MissingRevision(text: text))) }
            for leaf in leaves where seen.insert(leaf.name).inserted {
                found.append(.success(leaf))
            }
        }
        return found
    }
}
