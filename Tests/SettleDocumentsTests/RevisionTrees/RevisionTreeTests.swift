import SettleDocuments
import TestSupport
import Testing

@Suite struct `Revision tree` {
    private func stored(_ row: [UInt8]) -> RevisionTree? { RevisionTree(stored: row.span) }

    private func expectEqual(_ tree: RevisionTree, _ naive: NaiveRevisionTree, _ note: String) {
        #expect(Set(tree.parents.keys) == naive.revisions, "\(note)")
        #expect(tree.leaves == naive.leaves, "\(note)")
        #expect(tree.winner?.name == naive.winner, "\(note)")
        #expect(tree.sortedLeaves.first == tree.winner, "\(note)")
        #expect(tree.isSound, "\(note)")
        for (name, parents) in tree.parents {
            #expect(Set(parents) == naive.parents(of: name), "\(note)")
            #expect(parents == parents.sorted(by: >), "\(note)")
        }
    }

    @Test func `is the same in whatever order the paths of a small tree come, and however often`() {
        var count = 0
        for revisions in 1...4 {
            for forest in RevisionForests.all(of: revisions) {
                for pattern in [0, 0b10110, 0b11111] {
                    let paths = forest.map { ($0, RevisionForests.isDeleted($0.name, pattern)) }
                    let naive = NaiveRevisionTree(paths: paths)
                    let expected = RevisionTree(naive)
                    expectEqual(expected, naive, "\(forest)")
                    for order in paths.permutations {
                        var tree = RevisionTree(NaiveRevisionTree(paths: order))
                        #expect(tree == expected, "\(order)")
                        for (path, isDeleted) in order.reversed() {
                            let isNew = tree.insert(path, isDeleted: isDeleted)
                            #expect(!isNew)
                        }
                        #expect(tree == expected, "\(order)")
                        count += 1
                    }
                }
            }
        }
        #expect(count == 3 * (1 + 2 * 2 + 6 * 6 + 24 * 24))
    }

    @Test func `is the same in whatever order paths come that were cut off`() {
        for forest in RevisionForests.all(of: 4) {
            for length in 1...3 {
                let paths = forest.map { (RevisionForests.cut($0, to: length), false) }
                let naive = NaiveRevisionTree(paths: paths)
                let expected = RevisionTree(naive)
                expectEqual(expected, naive, "\(forest), \(length)")
                for order in paths.permutations {
                    #expect(RevisionTree(NaiveRevisionTree(paths: order)) == expected, "\(order)")
                }
            }
        }
    }

    @Test func `of random paths is what the paths say, in any order and merged in any parts`() {
        var generator = TestSupport.SeededGenerator()
        for _ in 0..<400 {
            let pattern = Int(generator.next() % 32)
            let count = Int(generator.next() % 40) + 1
            var paths = RevisionForests.random(of: count, using: &generator).map { path in
                let length =
                    generator.next() % 3 == 0 ? Int(generator.next() % 6) : path.digests.count
                return (
                    path: RevisionForests.cut(path, to: length),
                    isDeleted: RevisionForests.isDeleted(path.name, pattern)
                )
            }
            let naive = NaiveRevisionTree(paths: paths)
            let tree = RevisionTree(naive)
            expectEqual(tree, naive, "\(generator)")
            paths.shuffle(using: &generator)
            #expect(RevisionTree(NaiveRevisionTree(paths: paths)) == tree, "\(generator)")
            let part = paths.indices.randomElement(using: &generator) ?? 0
            var first = RevisionTree(NaiveRevisionTree(paths: Array(paths[..<part])))
            var second = RevisionTree(NaiveRevisionTree(paths: Array(paths[part...])))
            let before = second
            second.merge(first)
            first.merge(before)
            #expect(first == tree, "\(generator)")
            #expect(second == tree, "\(generator)")
            second.merge(tree)
            #expect(second == tree, "\(generator)")
        }
    }

    @Test func `is stemmed to what is near a leaf, which other orders do not change`() {
        var generator = TestSupport.SeededGenerator()
        for _ in 0..<300 {
            let paths = RevisionForests.random(of: 30, using: &generator).map { ($0, false) }
            let naive = NaiveRevisionTree(paths: paths)
            for limit in [1, 2, 3, 7, 100] {
                var tree = RevisionTree(naive)
                let before = tree.count
                let hasCut = tree.stem(to: limit)
                #expect(Set(tree.parents.keys) == naive.near(limit), "\(limit), \(generator)")
                #expect(hasCut == (tree.count < before), "\(limit), \(generator)")
                #expect(tree.leaves == naive.leaves && tree.isSound, "\(limit), \(generator)")
                #expect(tree.winner?.name == naive.winner, "\(limit), \(generator)")
                let once = tree
                let cutsAgain = tree.stem(to: limit)
                #expect(!cutsAgain && tree == once, "\(limit), \(generator)")
            }
        }
    }

    @Test func `is read back from its stored form, and no other bytes are a tree`() throws {
        var generator = TestSupport.SeededGenerator()
        for round in 0..<90 {
            let count = round % 25 + 1
            let pattern = Int(generator.next() % 32)
            var tree = RevisionTree()
            for path in RevisionForests.random(of: count, using: &generator) {
                tree.insert(path, isDeleted: RevisionForests.isDeleted(path.name, pattern))
            }
            if round % 3 == 0 { tree.stem(to: 3) }
            let row = tree.encoded()
            #expect(stored(row) == tree, "\(generator)")
            #expect(try #require(stored(row)).encoded() == row, "\(generator)")
            // A row that ends early may be a smaller tree; it is never damage that is believed, nor a crash.
            for end in row.indices {
                let cut = Array(row[..<end])
                if let found = stored(cut) { #expect(found.isSound) }
            }
            for _ in 0..<20 {
                var damaged = row
                damaged[Int.random(in: row.indices, using: &generator)] ^= UInt8(
                    generator.next() % 255 + 1)
                if let found = stored(damaged) { #expect(found.isSound) }
            }
        }
    }

    @Test func `loses a leaf with the revisions that nothing else came from`() {
        var generator = TestSupport.SeededGenerator()
        for _ in 0..<200 {
            let paths = RevisionForests.random(of: 20, using: &generator).map { ($0, false) }
            let naive = NaiveRevisionTree(paths: paths)
            let tree = RevisionTree(naive)
            for leaf in tree.leaves.keys {
                var smaller = tree
                let isRemoved = smaller.remove(leaf)
                #expect(isRemoved)
                let rest = tree.leaves.keys.filter { $0 != leaf }
                let expected = rest.reduce(into: Set<RevisionName>()) {
                    $0.formUnion(naive.ancestry(of: $1))
                }
                #expect(Set(smaller.parents.keys) == expected, "\(generator)")
                #expect(smaller.isEmpty == rest.isEmpty && Set(smaller.leaves.keys) == Set(rest))
            }
            #expect(!RevisionTree().isSound)
            if let inner = tree.parents.keys.first(where: { tree.leaves[$0] == nil }) {
                var same = tree
                let isLeaf = same.remove(inner)
                #expect(!isLeaf && same == tree, "\(generator)")
            }
        }
    }

    @Test func `answers what came from what as the paths do`() throws {
        var generator = TestSupport.SeededGenerator()
        for _ in 0..<100 {
            let paths = RevisionForests.random(of: 12, using: &generator).map { ($0, false) }
            let naive = NaiveRevisionTree(paths: paths)
            let tree = RevisionTree(naive)
            for name in naive.revisions {
                let after = tree.leaves.keys.filter { naive.ancestry(of: $0).contains(name) }
                #expect(Set(tree.leaves(after: name).map(\.name)) == Set(after), "\(generator)")
                for other in naive.revisions {
                    let common = naive.ancestry(of: name).intersection(naive.ancestry(of: other))
                    #expect(
                        tree.commonAncestor(of: name, other) == common.max(), "\(generator)")
                }
                let path = try #require(tree.path(to: name))
                #expect(path.name == name, "\(generator)")
                for (child, parent) in zip(path.names, path.names.dropFirst()) {
                    #expect(naive.parents(of: child).max() == parent, "\(generator)")
                }
                #expect(tree.path(to: name, limit: 2)?.digests.count ?? 0 <= 2)
            }
        }
    }

    @Test func `tells what is missing, and which leaves may come before it`() throws {
        let first = try #require(RevisionName("1-a"))
        let (second, other) = try (#require(RevisionName("2-b")), #require(RevisionName("2-c")))
        var tree = RevisionTree()
        for name in [second, other] {
            let path = RevisionPath(generation: 2, digests: [name.digest, first.digest])
            tree.insert(try #require(path), isDeleted: name == other)
        }
        let third = try #require(RevisionName("3-d"))
        #expect(tree.missing(of: [first, third, second]) == [third])
        #expect(tree.possibleAncestors(of: [third]) == [second, other])
        #expect(tree.possibleAncestors(of: [try #require(RevisionName("2-z"))]) == [])
        #expect(tree.possibleAncestors(of: []) == [])
        #expect(!tree.isConflicted && tree.leaf(other)?.isDeleted == true)
        tree.insert(RevisionPath(third), isDeleted: false)
        #expect(tree.isConflicted && tree.winner?.name == third)
    }
}
