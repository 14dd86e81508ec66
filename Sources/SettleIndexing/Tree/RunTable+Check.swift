import SettleStorage

extension RunTable {
    /// Looks for damage: everything that the entries of the table determine is compared with them.
    ///
    /// That is the order of the entries, the form they are stored in, where runs and groups end, the
    /// numbers of entries, and the reductions. What the heads and tails of the entries mean is not
    /// known here.
    ///
    /// - Parameters:
    ///   - checksReductions: False when the reducer that the table was filled with is not known; the
    ///     reductions are then not looked at.
    ///   - report: Called with a sentence about each thing found. It names nodes by their place in
    ///     their level and holds nothing of the entries.
    ///   - advance: Called now and then with how many more entries have been checked.
    /// - Throws: What the table throws; damage is reported and not thrown.
    /// - Complexity: O(n), and memory for the borders and reductions of the runs of two levels.
    package func check(
        checksReductions: Bool, report: (String) -> Void, advance: (Int) -> Void
    ) throws {
        var check = TreeCheck(self, checksReductions: checksReductions)
        try check.run(report: report, advance: advance)
    }
}

/// One search of a table for damage.
private struct TreeCheck {
    private let tree: RunTable
    private let checksReductions: Bool

    /// What the level above must be made of, or is.
    private struct Node {
        let border: [UInt8]
        let header: NodeHeader?
        let reduction: [UInt8]?
    }

    init(_ tree: RunTable, checksReductions: Bool) {
        self.tree = tree
        self.checksReductions = checksReductions
    }

    mutating func run(report: (String) -> Void, advance: (Int) -> Void) throws {
        var children = try checkRuns(report: report, advance: advance)
        checkEnd(of: children, level: 0, report: report)
        var level = 0
        while tree.storesLevels, children.count > 1, level < BorderRule.levelMax {
            level += 1
            let groups = try nodes(of: level)
            compare(groups, with: expectedGroups(of: level, children, report), level, report)
            checkEnd(of: groups, level: level, report: report)
            children = groups
        }
        var superfluous = 0
        try tree.table.forEach(from: .excluding(tree.rowKey(level, [BorderRule.sentinel]))) {
            _, _ in
            superfluous += 1
            return true
        }
        if superfluous > 0 {
            report("\(superfluous) rows of the table lie above the uppermost level, \(level).")
        }
    }

    private func checkEnd(of nodes: [Node], level: Int, report: (String) -> Void) {
        guard let last = nodes.last, last.border != [BorderRule.sentinel] else { return }
        report("The last node of level \(level) does not end its level.")
    }

    // MARK: Runs

    private func checkRuns(
        report: (String) -> Void, advance: (Int) -> Void
    ) throws -> [Node] {
        var nodes: [Node] = []
        var builder = makeBuilder()
        var reader = RunReader(place: tree.place)
        try tree.table.forEach(from: .unbounded, to: tree.end(of: 0)) { rowKey, bytes in
            let number = nodes.count + 1
            let border = rowKey.rest(from: 1)
            let header = NodeHeader(bytes)
            nodes.append(
                Node(
                    border: border, header: header,
                    reduction: header?.reduction.map { bytes.extracting($0).rest(from: 0) }))
            defer { advance(builder.entryCount) }
            do throws(IndexError) {
                builder.beginRun()
                try read(bytes, with: &reader, into: &builder) {
                    report("Run \(number) holds an entry that ought to end it.")
                }
                checkBorder(border, builder, number, report)
                try compare(bytes, with: &builder, number, report)
            } catch {
                report("Run \(number) cannot be read, or its entries are out of order.")
                builder = makeBuilder()
            }
            return true
        }
        return nodes
    }

    private func makeBuilder() -> RunBuilder {
        RunBuilder(
            rule: tree.rule, reducer: checksReductions ? tree.reducer : nil, place: tree.place)
    }

    private func read(
        _ bytes: Span<UInt8>, with reader: inout RunReader, into builder: inout RunBuilder,
        onBorderInside: () -> Void
    ) throws(IndexError) {
        try reader.begin(bytes)
        while try reader.next(in: bytes) {
            let key = reader.key.storage.span.extracting(0..<reader.key.count)
            let shared = try builder.sharedLength(with: key)
            if builder.ends(beforeSharing: shared) { onBorderInside() }
            try builder.append(
                key, sharing: shared, bytes.extracting(reader.head), bytes.extracting(reader.tail))
        }
    }

    private func checkBorder(
        _ border: [UInt8], _ builder: RunBuilder, _ number: Int, _ report: (String) -> Void
    ) {
        if border == [BorderRule.sentinel] { return }
        if border != builder.border {
            report("Run \(number) is stored under a border that is not that of its last entry.")
        } else if !builder.isComplete {
            report("Run \(number) ends after an entry that ends no run.")
        }
    }

    private func compare(
        _ bytes: Span<UInt8>, with builder: inout RunBuilder, _ number: Int,
        _ report: (String) -> Void
    ) throws(IndexError) {
        guard let header = NodeHeader(bytes) else { return }
        if !builder.entries.holds(bytes.extracting(header.end..<bytes.count)) {
            report("Run \(number) holds its entries in another form than the one they must have.")
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
            report("The reduction of run \(number) is not that of its entries.")
        }
    }

    // MARK: Groups

    private func nodes(of level: Int) throws -> [Node] {
        var nodes: [Node] = []
        let start =
            level == 0
            ? tree.start(of: 0)
            : .excluding(
                tree.rowKey(level - 1, [BorderRule.sentinel]))
        try tree.table.forEach(from: start, to: tree.end(of: level)) { rowKey, bytes in
            let header = NodeHeader(bytes).flatMap { $0.end == bytes.count ? $0 : nil }
            nodes.append(
                Node(
                    border: rowKey.rest(from: 1), header: header,
                    reduction: header?.reduction.map { bytes.extracting($0).rest(from: 0) }))
            return true
        }
        return nodes
    }

    private struct Expected {
        let border: [UInt8]
        let entryCount: Int
        /// Nil when it could not be made of the children; then there is nothing to compare with.
        let reduction: [UInt8]??
    }

    private func expectedGroups(
        of level: Int, _ children: [Node], _ report: (String) -> Void
    ) -> [Expected] {
        var groups: [Expected] = []
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
                tree.endsGroup(child.border.span, level) || index == children.count - 1
            guard isEnd else { continue }
            let made = isSound && checksReductions ? try? reduction?.encoded() : nil
            groups.append(
                Expected(
                    border: child.border, entryCount: entryCount,
                    reduction: isSound ? .some(made) : nil))
            entryCount = 0
            isSound = true
            reduction?.reset()
        }
        return groups
    }

    private func compare(
        _ groups: [Node], with expected: [Expected], _ level: Int, _ report: (String) -> Void
    ) {
        var next = 0
        for (index, group) in groups.enumerated() {
            let name = "Group \(index + 1) of level \(level)"
            while next < expected.count, KeyBytes.compare(expected[next].border, group.border) < 0 {
                report("A group is missing before group \(index + 1) of level \(level).")
                next += 1
            }
            guard next < expected.count, expected[next].border == group.border else {
                report("\(name) ends where no group ends.")
                continue
            }
            let right = expected[next]
            next += 1
            guard let header = group.header else {
                report("\(name) cannot be read.")
                continue
            }
            if header.entryCount != right.entryCount {
                report("\(name) has another number of entries than the nodes below it.")
            }
            if checksReductions, let reduction = right.reduction, group.reduction != reduction {
                report("\(name) has another reduction than the nodes below it.")
            }
        }
        if next < expected.count {
            report("\(expected.count - next) groups are missing at the end of level \(level).")
        }
    }
}
