import SettlePrimitives

// The stored form of a tree (Docs/Formats/RevisionTrees.md): its branches one after the other, each up to where it
// joins what stands before it.

extension RevisionTree {
    private static let layout: UInt8 = 1

    private enum State {
        static let inner: UInt8 = 0
        static let live: UInt8 = 1
        static let deleted: UInt8 = 2
    }

    /// The stored form.
    ///
    /// - Complexity: 17 bytes for a revision, more for one whose digest is a text.
    package func encoded() -> [UInt8] {
        var row: [UInt8] = [Self.layout]
        row.reserveCapacity(8 + 17 * count)
        var written: Set<RevisionName> = []
        // Further parents of revisions that have more than one.
        var further: [(child: RevisionName, parent: RevisionName)] = []
        for leaf in sortedLeaves {
            write(
                [leaf.name], leaf.isDeleted ? State.deleted : State.live, &row, &written, &further)
        }
        var next = 0
        while next < further.count {
            let (child, parent) = further[next]
            next += 1
            write([child, parent], State.inner, &row, &written, &further)
        }
        return row
    }

    /// Writes a branch from its newest revisions on.
    private func write(
        _ beginning: [RevisionName], _ state: UInt8, _ row: inout [UInt8],
        _ written: inout Set<RevisionName>,
        _ further: inout [(child: RevisionName, parent: RevisionName)]
    ) {
        var names = beginning
        // The last one stands elsewhere, and is repeated to say where the branch joins.
        var isJoined = !written.insert(beginning[beginning.count - 1]).inserted
        while !isJoined, let found = parents[names[names.count - 1]], let parent = found.first {
            let child = names[names.count - 1]
            for other in found.dropFirst() { further.append((child, other)) }
            names.append(parent)
            isJoined = !written.insert(parent).inserted
        }
        row.append(state)
        row.append(variable: UInt64(names[0].generation))
        row.append(variable: UInt64(names.count))
        for name in names {
            switch name.digest {
            case .bytes(let digest):
                row.append(0)
                row.append(contentsOf: digest.bytes)
            case .text(let text):
                row.append(counted: text)
            }
        }
    }

    /// Reads a stored tree; nil when the bytes are none.
    package init?(stored row: Span<UInt8>) {
        var position = 0
        guard row.byte(at: &position) == Self.layout else { return nil }
        while position < row.count {
            guard let state = row.byte(at: &position), state <= State.deleted,
                let path = RevisionPath(stored: row, at: &position)
            else { return nil }
            link(path)
            if state != State.inner { leaves[path.name] = state == State.deleted }
        }
        guard isSound else { return nil }
    }

    /// Whether the leaves are those revisions, and there are some, that nothing came from.
    package var isSound: Bool {
        var inner: Set<RevisionName> = []
        for found in parents.values { inner.formUnion(found) }
        return !leaves.isEmpty && inner.allSatisfy(contains)
            && parents.keys.allSatisfy { (leaves[$0] == nil) == inner.contains($0) }
            && leaves.keys.allSatisfy(contains)
    }
}

extension RevisionPath {
    fileprivate init?(stored row: Span<UInt8>, at position: inout Int) {
        guard let generation = row.variable(at: &position),
            let number = UInt32(exactly: generation), number >= 1,
            let count = row.variable(at: &position), count >= 1, count <= generation,
            count <= UInt64(row.count)
        else { return nil }
        var digests: [RevisionName.Digest] = []
        digests.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let length = row.variable(at: &position) else { return nil }
            if length == 0 {
                guard let high = row.fixed64(at: &position), let low = row.fixed64(at: &position)
                else { return nil }
                digests.append(.bytes(Revision.Digest(high: high, low: low)))
            } else {
                guard length <= UInt64(RevisionName.textLengthMax),
                    let text = row.copy(Int(length), at: &position)
                else { return nil }
                digests.append(.text(text))
            }
        }
        self.init(fitting: number, digests)
    }
}
