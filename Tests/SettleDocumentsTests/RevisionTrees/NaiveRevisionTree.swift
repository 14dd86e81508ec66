import SettleDocuments

/// A revision tree as a list of the paths that were ever added, out of which everything is worked out anew.
struct NaiveRevisionTree {
    let paths: [(path: RevisionPath, isDeleted: Bool)]
    /// Each revision with all that some path has right before it.
    private let parents: [RevisionName: Set<RevisionName>]

    init(paths: [(path: RevisionPath, isDeleted: Bool)]) {
        self.paths = paths
        var parents: [RevisionName: Set<RevisionName>] = [:]
        for names in paths.map(\.path.names) {
            for (place, name) in names.enumerated() {
                parents[name, default: []].formUnion(names[(place + 1)...].prefix(1))
            }
        }
        self.parents = parents
    }

    var revisions: Set<RevisionName> { Set(parents.keys) }

    func parents(of child: RevisionName) -> Set<RevisionName> { parents[child] ?? [] }

    /// The ends of paths that no path has before another revision.
    var leaves: [RevisionName: Bool] {
        var leaves: [RevisionName: Bool] = [:]
        let inner = Set(parents.values.joined())
        for (path, isDeleted) in paths where !inner.contains(path.name) {
            leaves[path.name] = isDeleted
        }
        return leaves
    }

    /// Live before deleted, then by generation, then by the bytes after the dash.
    var winner: RevisionName? {
        func rank(_ leaf: (key: RevisionName, value: Bool)) -> [Int] {
            let bytes: [UInt8] =
                switch leaf.key.digest {
                case .bytes(let digest): digest.bytes
                case .text(let text): text
                }
            return [leaf.value ? 0 : 1, Int(leaf.key.generation)] + bytes.map { Int($0) }
        }
        return leaves.max { rank($0).lexicographicallyPrecedes(rank($1)) }?.key
    }

    /// What is at most so many steps above a leaf, itself included.
    func near(_ limit: Int) -> Set<RevisionName> {
        var level = Set(leaves.keys)
        var found = level
        for _ in 1..<max(1, limit) where !level.isEmpty {
            level = Set(level.flatMap { parents(of: $0) })
            found.formUnion(level)
        }
        return found
    }

    /// A revision and all before it.
    func ancestry(of name: RevisionName) -> Set<RevisionName> {
        parents(of: name).reduce(into: [name]) { $0.formUnion(ancestry(of: $1)) }
    }
}

extension RevisionTree {
    /// A tree of the same paths.
    init(_ naive: NaiveRevisionTree) {
        self.init()
        for (path, isDeleted) in naive.paths { insert(path, isDeleted: isDeleted) }
    }
}
