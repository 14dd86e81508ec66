/// A revision and those before it, newest first, as far as they are known; generations count down by one.
package struct RevisionPath: Sendable, Hashable {
    /// The generation of the first.
    package let generation: UInt32
    /// The digests, newest first; at least one, at most as many as the generation.
    package let digests: [RevisionName.Digest]

    /// A path of what CouchDB calls `start` and `ids`.
    ///
    /// - Returns: nil when there are no digests, more of them than the generation says, or the generation is
    ///   none that a name can have.
    package init?(generation: UInt32, digests: [RevisionName.Digest]) {
        guard (1...RevisionName.generationMax).contains(generation), !digests.isEmpty,
            digests.count <= Int(generation)
        else { return nil }
        self.generation = generation
        self.digests = digests
    }

    /// A path whose parts are known to fit.
    init(fitting generation: UInt32, _ digests: [RevisionName.Digest]) {
        self.generation = generation
        self.digests = digests
    }

    /// A revision of which nothing before it is known.
    package init(_ name: RevisionName) {
        generation = name.generation
        digests = [name.digest]
    }

    /// A revision with those before it, newest first.
    ///
    /// Of a revision at the last generation, which is its own successor, nothing before it counts.
    package init(_ revision: Revision, ancestors: some Collection<Revision.Digest>) {
        generation = revision.generation
        var digests = [RevisionName.Digest.bytes(revision.digest)]
        if generation < .max {
            digests += ancestors.prefix(Int(generation) - 1).map { .bytes($0) }
        }
        self.digests = digests
    }

    /// A revision that was made from another one; the last generation is its own successor, and has no other before it.
    package static func successor(_ revision: Revision, of parent: RevisionName) -> RevisionPath {
        let digest = RevisionName.Digest.bytes(revision.digest)
        let isNext = revision.generation == parent.generation &+ 1
        return RevisionPath(
            fitting: revision.generation, isNext ? [digest, parent.digest] : [digest])
    }

    /// The revision that the path leads to.
    package var name: RevisionName { RevisionName(generation: generation, digest: digests[0]) }

    /// The revision at a place of the path; 0 is the one that it leads to.
    package subscript(index: Int) -> RevisionName {
        RevisionName(generation: generation - UInt32(index), digest: digests[index])
    }

    /// All of it, newest first.
    package var names: [RevisionName] { digests.indices.map { self[$0] } }
}
