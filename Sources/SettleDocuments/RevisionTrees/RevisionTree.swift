/// The revisions of one document, as far as they are known, and which came from which.
///
/// CouchDB's tree: edits of one revision at two places make two branches, and each branch ends in a *leaf*.
/// A leaf has a body, which lies elsewhere; the revisions before it have only their names. Trees are merged by
/// putting all of their paths together, so that the order in which paths come does not matter, nor whether one
/// comes twice. A path that was cut off joins the tree where a revision of it is known.
///
/// A name that came after two different ones (which digests over the parent exclude, and foreign ones need
/// not) keeps both; its ancestry is then that of the greater.
package struct RevisionTree: Sendable, Equatable {
    /// Each revision with those it was made from, the greatest first; none where that is not known.
    internal(set) package var parents: [RevisionName: [RevisionName]] = [:]
    /// The revisions that nothing came from, and whether each is a deletion.
    internal(set) package var leaves: [RevisionName: Bool] = [:]

    /// A tree without revisions.
    package init() {}

    /// A tree of one path.
    package init(_ path: RevisionPath, isDeleted: Bool) {
        insert(path, isDeleted: isDeleted)
    }

    /// Whether there are no revisions.
    package var isEmpty: Bool { parents.isEmpty }

    /// How many revisions there are.
    package var count: Int { parents.count }

    /// Whether a revision is known, as a leaf or before one.
    package func contains(_ name: RevisionName) -> Bool { parents[name] != nil }

    /// One end of a tree.
    package struct Leaf: Sendable, Hashable {
        /// The revision.
        package let name: RevisionName
        /// Whether it is a deletion.
        package let isDeleted: Bool

        /// A leaf.
        package init(_ name: RevisionName, isDeleted: Bool) {
            self.name = name
            self.isDeleted = isDeleted
        }

        /// Whether another leaf wins over this one: one that is not deleted over one that is, then the higher
        /// generation, then the greater digest.
        package func loses(to other: Leaf) -> Bool {
            isDeleted == other.isDeleted ? name < other.name : isDeleted
        }
    }

    /// The leaf that wins over all others; nil for an empty tree.
    package var winner: Leaf? {
        leaves.lazy.map { Leaf($0.key, isDeleted: $0.value) }.max { $0.loses(to: $1) }
    }

    /// The leaves, the winner first, each before those that lose to it.
    package var sortedLeaves: [Leaf] {
        leaves.map { Leaf($0.key, isDeleted: $0.value) }.sorted { $1.loses(to: $0) }
    }

    /// The leaf with a name; nil when there is none.
    package func leaf(_ name: RevisionName) -> Leaf? {
        leaves[name].map { Leaf(name, isDeleted: $0) }
    }

    /// Whether there is more than one leaf that is no deletion.
    package var isConflicted: Bool { leaves.values.count { !$0 } > 1 }
}
