// Putting paths together, and cutting off what is too old.

extension RevisionTree {
    /// Adds a path.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - isDeleted: Whether the revision that it leads to is a deletion.
    /// - Returns: Whether that revision was not known, so that it is a new leaf. A known one may have got
    ///   ancestors, and so may others.
    @discardableResult
    package mutating func insert(_ path: RevisionPath, isDeleted: Bool) -> Bool {
        let name = path.name
        let isNew = !contains(name)
        link(path)
        if isNew { leaves[name] = isDeleted }
        return isNew
    }

    /// Adds the revisions of a path and what came from what; the first is no leaf for that.
    mutating func link(_ path: RevisionPath) {
        var child = path.name
        if parents[child] == nil { parents[child] = [] }
        for index in path.digests.indices.dropFirst() {
            let parent = path[index]
            if parents[parent] == nil { parents[parent] = [] }
            leaves[parent] = nil
            add(parent, to: child)
            child = parent
        }
    }

    private mutating func add(_ parent: RevisionName, to child: RevisionName) {
        let known = parents[child] ?? []
        if known.first == parent || known.contains(parent) { return }
        parents[child] = (known + [parent]).sorted(by: >)
    }

    /// Adds all that another tree of the document has.
    package mutating func merge(_ other: RevisionTree) {
        for (name, isDeleted) in other.leaves {
            if parents[name] == nil {
                leaves[name] = isDeleted
            } else if let known = leaves[name] {
                leaves[name] = known || isDeleted
            }
        }
        for (name, found) in other.parents {
            if parents[name] == nil { parents[name] = [] }
            for parent in found {
                leaves[parent] = nil
                add(parent, to: name)
            }
        }
    }

    /// Keeps of each branch only the newest revisions.
    ///
    /// - Parameter limit: How many are kept, the leaf included; at least 1. One that two branches share is kept
    ///   when it is near enough to one of the leaves.
    /// - Returns: Whether something was cut off.
    @discardableResult
    package mutating func stem(to limit: Int) -> Bool {
        let limit = max(1, limit)
        if count <= limit { return false }
        // How many revisions may be kept from here on, itself included.
        var kept: [RevisionName: Int] = [:]
        var open = leaves.keys.map { ($0, limit) }
        while let (name, remaining) = open.popLast() {
            if let known = kept[name], known >= remaining { continue }
            kept[name] = remaining
            guard remaining > 1 else { continue }
            for parent in parents[name] ?? [] { open.append((parent, remaining - 1)) }
        }
        if kept.count == count { return false }
        parents = parents.filter { kept[$0.key] != nil }
            .mapValues { $0.filter { kept[$0] != nil } }
        return true
    }

    /// Takes a leaf away, with the revisions that only it came from, as if it had never been.
    ///
    /// - Returns: False when it is no leaf.
    @discardableResult
    package mutating func remove(_ leaf: RevisionName) -> Bool {
        guard leaves.removeValue(forKey: leaf) != nil else { return false }
        // What still leads to a leaf stays.
        var kept: Set<RevisionName> = []
        var open = Array(leaves.keys)
        while let name = open.popLast() {
            if kept.insert(name).inserted { open += parents[name] ?? [] }
        }
        parents = parents.filter { kept.contains($0.key) }
        return true
    }
}
