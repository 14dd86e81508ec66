import Settle

/// The attachments that the ancestors of a new revision had, as far as they are still there, for stubs to stand for.
///
/// Of a revision that is followed by another only the name is kept. But an attachment that a leaf has since a
/// generation was the same in all of its ancestors from that one on.
struct CouchKeptAttachments {
    /// A leaf that has an ancestor with the new revision in common, or is one.
    private struct Source {
        let leaf: RevisionTree.Leaf
        /// The generation of the last revision that both come from.
        let common: Int
    }

    /// What a leaf has.
    private struct Contents {
        var attachments: [DocumentAttachment] = []
        /// The generations of those that are older than the leaf.
        var generations: [String: Int] = [:]
        var generation = 0
    }

    private let id: String
    private let sources: [Source]
    /// The generation of the nearest ancestor that is known.
    private let nearest: Int
    private var contents: [RevisionName: Contents] = [:]

    /// What may be kept.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - ancestors: Those of the new revision, newest first.
    ///   - tree: What the sender sees of the revisions that are there.
    init(_ id: String, after ancestors: [RevisionName], _ tree: RevisionTree?) {
        self.id = id
        nearest = ancestors.first { tree?.contains($0) ?? false }.map { Int($0.generation) } ?? 0
        // A leaf is its own only descendant, and the most frequent ancestor.
        if let first = ancestors.first, let leaf = tree?.leaf(first) {
            sources = [Source(leaf: leaf, common: Int(first.generation))]
            return
        }
        let leaves = tree?.sortedLeaves ?? []
        sources = leaves.compactMap { leaf in
            let path = Set(tree?.path(to: leaf.name)?.names ?? [leaf.name])
            return ancestors.first(where: path.contains).map {
                Source(leaf: leaf, common: Int($0.generation))
            }
        }.sorted { $0.common > $1.common }
    }

    /// The attachment that a stub stands for, with the generation at which it came to the document.
    ///
    /// - Parameters:
    ///   - stub: The stub; the generation that it names, if any, must be that of the attachment.
    ///   - comparesDigest: Whether the digest that it names must be, too.
    ///   - snapshot: Where the leaves are.
    /// - Returns: Nil when the content is not there, or not known to be that of an ancestor.
    /// - Throws: ``DatabaseError``.
    /// - Complexity: Reads each leaf that has an ancestor in common once at most.
    mutating func attachment(
        for stub: CouchInput.Attachment, comparesDigest: Bool, in snapshot: Snapshot
    ) throws -> (attachment: DocumentAttachment, generation: Int)? {
        // What came before the nearest ancestor may have been replaced there; its generation tells.
        for source in sources where stub.generation != nil || source.common == nearest {
            let there = try read(source.leaf, in: snapshot)
            guard let found = there.attachments.first(where: { $0.name == stub.name }) else {
                continue
            }
            let generation = there.generations[found.name] ?? there.generation
            guard generation <= source.common, stub.generation ?? generation == generation
            else { continue }
            // The digest of what is packed is of that.
            if comparesDigest, !stub.isPacked, let digest = stub.digest,
                try digest != "md5-" + CouchDatabase.md5(of: found, in: snapshot)
            {
                continue
            }
            return (found, generation)
        }
        return nil
    }

    private mutating func read(
        _ leaf: RevisionTree.Leaf, in snapshot: Snapshot
    ) throws -> Contents {
        if let known = contents[leaf.name] { return known }
        let document = try snapshot.document(id, atRevision: leaf.name.description)
        let found = Contents(
            attachments: document?.attachments ?? [],
            generations: try CouchDatabase.generations(of: leaf.name, id, in: snapshot),
            generation: Int(leaf.name.generation))
        contents[leaf.name] = found
        return found
    }
}
