// What came from what.

extension RevisionTree {
    /// A revision and those before it.
    ///
    /// - Parameters:
    ///   - name: The revision.
    ///   - limit: How many at most, itself included.
    /// - Returns: The path; nil when the revision is not known.
    package func path(to name: RevisionName, limit: Int = .max) -> RevisionPath? {
        guard contains(name) else { return nil }
        var digests = [name.digest]
        var last = name
        while digests.count < limit, let parent = parents[last]?.first {
            digests.append(parent.digest)
            last = parent
        }
        return RevisionPath(fitting: name.generation, digests)
    }

    /// A revision and all that are known to come before it.
    private func ancestry(of name: RevisionName) -> Set<RevisionName> {
        var found: Set<RevisionName> = []
        var open = contains(name) ? [name] : []
        while let next = open.popLast() {
            if found.insert(next).inserted { open += parents[next] ?? [] }
        }
        return found
    }

    /// The leaves that come from a revision, itself included, in the order of winners.
    ///
    /// - Returns: None when the revision is not known.
    package func leaves(after name: RevisionName) -> [Leaf] {
        sortedLeaves.filter { leaf in
            leaf.name.generation >= name.generation && ancestry(of: leaf.name).contains(name)
        }
    }

    /// The newest revision that two come from; one of the two when it came before the other.
    ///
    /// - Returns: nil when none is known.
    package func commonAncestor(of first: RevisionName, _ second: RevisionName) -> RevisionName? {
        ancestry(of: first).intersection(ancestry(of: second)).max()
    }

    /// Which of some revisions are not known, in the order given.
    package func missing(of names: [RevisionName]) -> [RevisionName] {
        names.filter { !contains($0) }
    }

    /// The leaves that may come before revisions that are missing: those of a lower generation than one of them.
    ///
    /// Somebody who sends the missing ones may leave out what these leaves have already.
    package func possibleAncestors(of missing: [RevisionName]) -> [RevisionName] {
        guard let highest = missing.map(\.generation).max() else { return [] }
        return sortedLeaves.map(\.name).filter { $0.generation < highest }
    }
}
