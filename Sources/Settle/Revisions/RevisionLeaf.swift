import SettleDocuments

/// One end of a document's revision tree: a version of the document that nothing replaces.
///
/// A document that was only ever changed here, or by a replication with tables, has one. Two or more come of
/// revisions that were made at different places and replicated as they are
/// (``Transaction/store(_:revisions:isDeleted:from:)``). One of them wins on every device, and is the document: a
/// leaf that is no deletion wins over one that is, then the higher generation, then the digest that is greater
/// byte by byte.
public struct RevisionLeaf: Sendable, Hashable {
    /// The revision, `generation-digest`; a digest that others gave may be any text.
    public let revision: String
    /// True when it is a deletion.
    public let isDeleted: Bool
    /// The revisions before it, newest first, as far as they are known.
    public let ancestors: [String]
    /// The replication that it came from; nil when it was made on this device.
    public let origin: String?

    init(_ leaf: RevisionTree.Leaf, in tree: RevisionTree, origin: String?) {
        self.origin = origin
        revision = leaf.name.description
        isDeleted = leaf.isDeleted
        ancestors = tree.path(to: leaf.name)?.names.dropFirst().map(\.description) ?? []
    }

    /// The only leaf of a document, at the end of a path.
    init(_ path: RevisionPath, isDeleted: Bool, origin: String?) {
        self.origin = origin
        self.isDeleted = isDeleted
        let names = path.names.map(\.description)
        revision = names[0]
        ancestors = Array(names.dropFirst())
    }
}

/// A document with more than one leaf that is no deletion.
public struct ConflictedDocument: Sendable, Hashable {
    /// The identifier of the document.
    public let id: String
    /// How many leaves there are beside the one that wins, deletions not counted; at least 1.
    public let conflictCount: Int
}

extension RevisionTree {
    /// The leaf that a text names, by its revision or by what stands for it in the document's metadata.
    func leaf(named text: String) -> Leaf? {
        guard let name = RevisionName(text) else { return nil }
        return leaf(name) ?? sortedLeaves.first { $0.name.standIn == name.standIn }
    }
}
