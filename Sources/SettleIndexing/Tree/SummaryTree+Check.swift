import SettlePrimitives
import SettleStorage

extension SummaryTree {
    /// Looks for damage: everything that the entries of the table determine is compared with them.
    ///
    /// That is the order of the entries, the form they are stored in, where leaves and inner nodes end, the
    /// numbers of entries, and the reductions. What the heads and tails of the entries mean is not
    /// known here.
    ///
    /// - Parameters:
    ///   - checksReductions: False when the reducer that the table was filled with is not known; the
    ///     reductions are then not looked at.
    ///   - report: Called with a sentence about each thing found. It names nodes by their place in
    ///     their level and holds nothing of the entries.
    ///   - advance: Called now and then with how many more entries have been checked.
    /// - Throws: What the table throws, and `advance`; damage is reported and not thrown.
    /// - Complexity: O(n), and memory for the boundaries and reductions of the leaves of two levels.
    package func check(
        checksReductions: Bool, report: (String) -> Void, advance: (Int) throws -> Void
    ) throws {
        var check = TreeCheck(self, checksReductions: checksReductions)
        try check.run(report: report, advance: advance)
    }
}

/// One search of a table for damage.
private struct TreeCheck {
    private let tree: SummaryTree
    private let checksReductions: Bool

    /// What the level above must be made of, or is.
    private struct Node {
        let boundary: [UInt8]
        let header: NodeHeader?
        let reduction: [UInt8]?
    }

    init(_ tree: SummaryTree, checksReductions: Bool) {
        self.tree = tree
        self.checksReductions = checksReductions
    }

    mutating func run(report: (String) -> Void, advance: (Int) throws -> Void) throws {
        var children = try checkLeaves(report: report, advance: advance)
        checkEnd(of: children, level: 0, report: report)
        var level = 0
        while tree.storesLevels, children.count > 1, level < ChunkBoundaryRule.levelMax {
            level += 1
            let innerNodes = try nodes(of: level)
            compare(
                innerNodes, with: expectedInnerNodes(of: level, children, report), level, report)
            checkEnd(of: innerNodes, level: level, report: report)
            children = innerNodes
        }
        var superfluous = 0
        try tree.table.forEach(from: .excluding(tree.rowKey(level, [ChunkBoundaryRule.sentinel]))) {
            _, _ in
            superfluous += 1
            return true
        }
        if superfluous > 0 {
            report("\(superfluous) rows of the table lie above the uppermost level, \(level).")
        }
    }

    private func checkEnd(of nodes: [Node], level: Int, report: (String) -> Void) {
        guard let last = nodes.last, last.boundary != [ChunkBoundaryRule.sentinel] else { return }
        report("The last node of level \(level) does not end its level.")
    }

    // MARK: Leaves

    private func checkLeaves(
        report: (String) -> Void, advance: (Int) throws -> Void
    ) throws -> [Node] {
        var nodes: [Node] = []
        var builder = makeBuilder()
        var reader = LeafReader(place: tree.place)
        try tree.table.forEach(from: .unbounded, to: tree.end(of: 0)) { rowKey, bytes in
            let number = nodes.count + 1
            let boundary = rowKey.rest(from: 1)
            let header = NodeHeader(bytes)
            nodes.append(
                Node(
                    boundary: boundary, header: header,
                    reduction: header?.reduction.map { bytes.extracting($0).rest(from: 0) }))
            do throws(IndexError) {
                builder.beginLeaf()
                try read(bytes, with: &reader, into: &builder) {
                    report("Leaf \(number) holds an entry that ought to end it.")
                }
                checkBoundary(boundary, builder, number, report)
                try compare(bytes, with: &builder, number, report)
            } catch {
                report("Leaf \(number) cannot be read, or its entries are out of order.")
                builder = makeBuilder()
            }
            try advance(builder.entryCount)
            return true
        }
        return nodes
    }

    private func makeBuilder() -> LeafBuilder {
        LeafBuilder(
            rule: tree.rule, reducer: checksReductions ? tree.reducer : nil, place: tree.place)
    }

    private func read(
        _ bytes: Span<UInt8>, with reader: inout LeafReader, into builder: inout LeafBuilder,
        onBoundaryInside: () -> Void
    ) throws(IndexError) {
        try reader.begin(bytes)
        while try reader.next(in: bytes) {
            let key = reader.key.storage.span.extracting(0..<reader.key.count)
            let shared = try builder.sharedLength(with: key)
            if builder.ends(beforeSharing: shared) { onBoundaryInside() }
            try builder.append(
                key, sharing: shared, bytes.extracting(reader.head), bytes.extracting(reader.tail))
        }
    }

    private func checkBoundary(
        _ boundary: [UInt8], _ builder: LeafBuilder, _ number: Int, _ report: (String) -> Void
    ) {
        if boundary == [ChunkBoundaryRule.sentinel] { return }
        if boundary != builder.boundary {
            report("Leaf \(number) is stored under a boundary that is not that of its last entry.")
        } else if !builder.isComplete {
            report("Leaf \(number) ends after an entry that ends no leaf.")
        }
    }

    private func compare(
        _ bytes: Span<UInt8>, with builder: inout LeafBuilder, _ number: Int,
        _ report: (String) -> Void
    ) throws(IndexError) {
        guard let header = NodeHeader(bytes) else { return }
        if !builder.entries.holds(bytes.extracting(header.end..<bytes.count)) {
            report("Leaf \(number) holds its entries in another form than the one they must have.")
        }
        var expected = ByteBuffer(capacity: 64)
        try builder.writeHeader(to: &expected)
        if !checksReductions {
            expected.cut(to: 0)
            let reduction = header.reduction.map { bytes.extracting($0).rest(from: 0) }
            NodeHeader.write(
                entryCount: builder.entryCount, reduction: reduction, to: &expected)
        }
        if !expected.holds(bytes.extracting(0..<header.end)) {
            report("The reduction of leaf \(number) is not that of its entries.")
        }
    }

    // MARK: Inner nodes

    private func nodes(of level: Int) throws -> [Node] {
        var nodes: [Node] = []
        let start =
            level == 0
            ? tree.start(of: 0)
            : .excluding(
                tree.rowKey(level - 1, [ChunkBoundaryRule.sentinel]))
        try tree.table.forEach(from: start, to: tree.end(of: level)) { rowKey, bytes in
            let header = NodeHeader(bytes).flatMap { $0.end == bytes.count ? $0 : nil }
            nodes.append(
                Node(
                    boundary: rowKey.rest(from: 1), header: header,
                    reduction: header?.reduction.map { bytes.extracting($0).rest(from: 0) }))
            return true
        }
        return nodes
    }

    private struct Expected {
        let boundary: [UInt8]
        let entryCount: Int
        /// Nil when it could not be made of the children; then there is nothing to compare with.
        let reduction: [UInt8]??
    }

    private func expectedInnerNodes(
        of level: Int, _ children: [Node], _ report: (String) -> Void
    ) -> [Expected] {
        var innerNodes: [Expected] = []
        var entryCount = 0
        var reduction = tree.reducer.map { Reduction($0) }
        var isSound = true
        for (index, child) in children.enumerated() {
            entryCount &+= child.header?.entryCount ?? 0
            if checksReductions, tree.reducer != nil, isSound {
                do throws(IndexError) {
                    guard let partial = child.reduction else { throw tree.damage }
                    try reduction?.merge(partial.span)
                } catch {
                    report(
                        "The reduction of node \(index + 1) of level \(level - 1) is missing or "
                            + "cannot be read.")
                    isSound = false
                }
            }
            let isEnd =
                tree.endsInnerNode(child.boundary.span, level) || index == children.count - 1
            guard isEnd else { continue }
            let made = isSound && checksReductions ? try? reduction?.encoded() : nil
            innerNodes.append(
                Expected(
                    boundary: child.boundary, entryCount: entryCount,
                    reduction: isSound ? .some(made) : nil))
            entryCount = 0
            isSound = true
            reduction?.reset()
        }
        return innerNodes
    }

    private func compare(
        _ innerNodes: [Node], with expected: [Expected], _ level: Int, _ report: (String) -> Void
    ) {
        var next = 0
        for (index, innerNode) in innerNodes.enumerated() {
            let name = "Inner node \(index + 1) of level \(level)"
            while next < expected.count,
                KeyBytes.compare(expected[next].boundary, innerNode.boundary) < 0
            {
                report("An inner node is missing before inner node \(index + 1) of level \(level).")
                next += 1
            }
            guard next < expected.count, expected[next].boundary == innerNode.boundary else {
                report("\(name) ends where no inner node ends.")
                continue
            }
            let right = expected[next]
            next += 1
            guard let header = innerNode.header else {
                report("\(name) cannot be read.")
                continue
            }
            if header.entryCount != right.entryCount {
                report("\(name) has another number of entries than the nodes below it.")
            }
            if checksReductions, let reduction = right.reduction, innerNode.reduction != reduction {
                report("\(name) has another reduction than the nodes below it.")
            }
        }
        if next < expected.count {
            report("\(expected.count - next) inner nodes are missing at the end of level \(level).")
        }
    }
}
