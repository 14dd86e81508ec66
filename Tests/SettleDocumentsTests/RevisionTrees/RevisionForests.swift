import SettleDocuments
import TestSupport

/// All small revision trees, and random larger ones.
enum RevisionForests {
    /// The path to each revision, of every tree of so many revisions.
    ///
    /// A revision is the first of the document, or comes from one before it in the list.
    static func all(of count: Int) -> [[RevisionPath]] {
        var forests: [[RevisionPath]] = [[]]
        for number in 0..<count {
            forests = forests.flatMap { forest in
                ([nil] + forest.map(Optional.some)).map { parent in
                    forest + [child(of: parent, digest(number))]
                }
            }
        }
        return forests
    }

    /// A random tree; also one in which a name came after two different ones.
    static func random(
        of count: Int, using generator: inout TestSupport.SeededGenerator
    ) -> [RevisionPath] {
        var paths: [RevisionPath] = []
        for number in 0..<count {
            let parent = generator.next() % 8 == 0 ? nil : paths.randomElement(using: &generator)
            // Few digests, so that one comes again elsewhere.
            let seed = generator.next() % 4 == 0 ? Int(generator.next() % 5) : number
            paths.append(child(of: parent, digest(seed)))
        }
        return paths
    }

    static func child(of parent: RevisionPath?, _ digest: RevisionName.Digest) -> RevisionPath {
        let digests = [digest] + (parent?.digests ?? [])
        guard let path = RevisionPath(generation: UInt32(digests.count), digests: digests) else {
            preconditionFailure("A path has as many digests as its generation.")
        }
        return path
    }

    /// Digests in no order, some of them texts.
    static func digest(_ number: Int) -> RevisionName.Digest {
        if number % 3 == 1 { return .text(Array("text \(number * 5 % 7)".utf8)) }
        return .bytes(Revision.Digest(high: UInt64(number * 5 % 7) << 60, low: UInt64(number)))
    }

    /// Whether a revision of a test is a deletion: the same whichever path leads to it.
    static func isDeleted(_ name: RevisionName, _ pattern: Int) -> Bool {
        pattern >> (name.hashValue(in: 5)) & 1 == 1
    }

    /// A path without the oldest revisions; at least one stays.
    static func cut(_ path: RevisionPath, to count: Int) -> RevisionPath {
        guard
            let path = RevisionPath(
                generation: path.generation, digests: Array(path.digests.prefix(max(1, count))))
        else { preconditionFailure("A path that was cut is a path.") }
        return path
    }
}

extension RevisionName {
    /// A small number that depends on the name alone.
    fileprivate func hashValue(in count: Int) -> Int {
        description.utf8.reduce(Int(generation)) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % count
    }
}

extension Array {
    /// Every order of the elements.
    var permutations: [[Element]] {
        guard let last else { return [[]] }
        return Array(dropLast()).permutations.flatMap { order in
            (0...order.count).map { place in
                var order = order
                order.insert(last, at: place)
                return order
            }
        }
    }
}
