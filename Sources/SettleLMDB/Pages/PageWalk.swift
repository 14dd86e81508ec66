/// A walk over all pages of one commit, without the engine, that believes nothing it reads.
///
/// Every page is read at most once, so the work is bounded by the file, whatever it says; every
/// read is bounded by the file's size; recursion is bounded by the depth the engine can walk.
struct PageWalk {
    /// Deepest tree the engine can walk.
    private static let depthMax = 32
    /// Findings after which the walk ends.
    private static let findingsMax = 100

    private let file: DataFile
    private let meta: DataFile.Meta
    private let pageCount: UInt64
    private let isCancelled: () -> Bool
    private var seen: PageSet
    private(set) var report = PageReport()

    /// A tree under way: its name, and what was counted in it so far.
    private struct Tree {
        let name: String
        let record: TreeRecord
        let kind: Kind
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entryCount: UInt64 = 0

        enum Kind { case free, names, table }
    }

    /// A walk that ends early when `isCancelled`, asked before each page, answers true.
    init(_ file: DataFile, _ meta: DataFile.Meta, isCancelled: @escaping () -> Bool) {
        self.file = file
        self.meta = meta
        self.isCancelled = isCancelled
        pageCount = UInt64(file.sizeBytes) / UInt64(meta.pageSizeBytes)
        seen = PageSet(count: min(pageCount, meta.pageLast + 1))
        report.transaction = meta.transaction
        report.pagesTotal = Int(clamping: meta.pageLast + 1)
        report.pagesReachable = 2
        _ = seen.insert(0)
        _ = seen.insert(1)
    }

    /// Walks everything.
    ///
    /// - Throws: ``LMDBError`` when the file cannot be read.
    mutating func run() throws(LMDBError) {
        try walk(Tree(name: "the list of free pages", record: meta.freeTree, kind: .free))
        try walk(Tree(name: "the names of tables", record: meta.mainTree, kind: .names))
        let rest = report.pagesTotal - report.pagesReachable - report.pagesFree
        report.pagesLeaked = max(rest, 0)
        if rest < 0, report.isClean {
            note("the whole file", "More pages are in use and free than there are.")
        }
    }

    private var isOver: Bool { report.findings.count >= Self.findingsMax || isCancelled() }

    private mutating func note(_ place: String, _ sentence: String) {
        guard !isOver else { return }
        report.findings.append(.init(place: place, sentence: sentence))
    }

    private func place(_ page: UInt64, _ tree: Tree) -> String { "page \(page) of \(tree.name)" }

    private mutating func walk(_ start: Tree) throws(LMDBError) {
        var tree = start
        let record = tree.record
        // The list of free pages is ordered by numbers; no other tree has flags.
        let flagsExpected: UInt16 = tree.kind == .free ? 8 : 0
        if record.flags != flagsExpected {
            note(tree.name, "The tree has flags that are not used here.")
            return
        }
        if record.root != DataFile.pageNone {
            guard (1...Self.depthMax).contains(record.depth) else {
                note(tree.name, "The tree says it is \(record.depth) pages deep.")
                return
            }
            try visit(record.root, depth: 1, from: nil, below: nil, &tree)
        }
        guard !isOver else { return }
        let claims = [
            ("branch pages", record.branchPages, tree.branchPages),
            ("leaf pages", record.leafPages, tree.leafPages),
            ("overflow pages", record.overflowPages, tree.overflowPages),
            ("entries", record.entryCount, tree.entryCount),
        ]
        for (what, said, found) in claims where said != found {
            note(tree.name, "The tree says it has \(said) \(what), and has \(found).")
        }
    }

    /// Visits a page and all below it; keys must lie between the bounds of the branch above.
    private mutating func visit(
        _ number: UInt64, depth: Int, from: [UInt8]?, below: [UInt8]?, _ tree: inout Tree
    ) throws(LMDBError) {
        guard !isOver, claim(number, count: 1, tree) else { return }
        let size = meta.pageSizeBytes
        guard let bytes = try file.bytes(at: number * UInt64(size), count: size) else {
            note(place(number, tree), "The page lies beyond the end of the file.")
            return
        }
        let page: TreePage
        do {
            page = try TreePage(bytes, number: number)
        } catch {
            note(place(number, tree), error.sentence)
            return
        }
        guard page.isBranch == (depth < tree.record.depth) else {
            note(place(number, tree), "The page lies at the wrong depth of its tree.")
            return
        }
        checkOrder(page, number, from, below, tree)
        if page.isBranch {
            tree.branchPages += 1
            for (index, node) in page.nodes.enumerated() {
                // The first key of a branch stands for everything below the second.
                let lower = index == 0 ? from : Array(bytes[node.key])
                let next = index + 1
                let upper = next < page.nodes.count ? Array(bytes[page.nodes[next].key]) : below
                try visit(node.child, depth: depth + 1, from: lower, below: upper, &tree)
            }
        } else {
            tree.leafPages += 1
            for node in page.nodes { try visit(node, bytes, number, &tree) }
        }
    }

    private mutating func visit(
        _ node: TreePage.Node, _ bytes: [UInt8], _ number: UInt64, _ tree: inout Tree
    ) throws(LMDBError) {
        tree.entryCount += 1
        var overflow: UInt64?
        if node.isOnOverflowPages {
            let first = bytes.unsigned64(at: node.value.lowerBound)
            guard let count = try overflowPages(first, node.valueCount, number, tree) else {
                return
            }
            tree.overflowPages += count
            overflow = first
        }
        if node.isTable {
            guard tree.kind == .names, node.valueCount == TreeRecord.sizeBytes else {
                note(place(number, tree), "An entry is marked as a table and is none.")
                return
            }
            let name = String(decoding: bytes[node.key], as: UTF8.self)
            let record = TreeRecord(bytes, at: node.value.lowerBound)
            try walk(Tree(name: "table \(name)", record: record, kind: .table))
        } else if tree.kind == .free {
            try free(node, bytes, overflow, number, tree)
        }
    }

    /// Checks the pages of a long value and gives their number, nil when they are wrong.
    private mutating func overflowPages(
        _ first: UInt64, _ valueCount: Int, _ number: UInt64, _ tree: Tree
    ) throws(LMDBError) -> UInt64? {
        let size = UInt64(meta.pageSizeBytes)
        let count = (UInt64(valueCount) + 15) / size + 1
        guard claim(first, count: count, tree) else { return nil }
        guard let head = try file.bytes(at: first * size, count: 16), first + count <= pageCount
        else {
            note(place(first, tree), "A long value lies beyond the end of the file.")
            return nil
        }
        // A value that became shorter keeps the pages it had.
        let stored = UInt64(head.unsigned32(at: 12))
        guard head.unsigned64(at: 0) == first, head.unsigned16(at: 10) == 4, stored >= count else {
            note(place(first, tree), "The page does not begin the long value it should.")
            return nil
        }
        if stored > count, !claim(first + count, count: stored - count, tree) { return nil }
        return stored
    }

    /// Reads a list of free pages: its length, then the numbers.
    private mutating func free(
        _ node: TreePage.Node, _ bytes: [UInt8], _ overflow: UInt64?, _ number: UInt64,
        _ tree: Tree
    ) throws(LMDBError) {
        var list = Array(bytes[node.value])
        if let overflow {
            let offset = overflow * UInt64(meta.pageSizeBytes) + 16
            guard let found = try file.bytes(at: offset, count: node.valueCount) else {
                note(place(number, tree), "A list lies beyond the end of the file.")
                return
            }
            list = found
        }
        guard node.key.count == 8, list.count >= 8,
            list.unsigned64(at: 0) <= UInt64(list.count / 8 - 1)
        else {
            note(place(number, tree), "An entry is no list of pages.")
            return
        }
        for index in 0..<Int(list.unsigned64(at: 0)) {
            let page = list.unsigned64(at: 8 + 8 * index)
            guard page > 1, page <= meta.pageLast else {
                note(place(number, tree), "A page that does not exist is listed as free.")
                return
            }
            guard seen.insert(page) else {
                note("page \(page)", "The page is free and in use, or free twice.")
                if isOver { return }
                continue
            }
            report.pagesFree += 1
        }
    }

    /// Takes pages as used by a tree; false when they are not to be had.
    private mutating func claim(_ first: UInt64, count: UInt64, _ tree: Tree) -> Bool {
        guard first > 1, first <= meta.pageLast, count <= meta.pageLast - first + 1,
            first < pageCount, count <= pageCount - first
        else {
            note(tree.name, "A page leads to page \(first), which does not exist.")
            return false
        }
        for page in first..<first + count {
            guard seen.insert(page) else {
                note(place(page, tree), "The page is used twice.")
                return false
            }
            report.pagesReachable += 1
        }
        return true
    }

    private mutating func checkOrder(
        _ page: TreePage, _ number: UInt64, _ from: [UInt8]?, _ below: [UInt8]?, _ tree: Tree
    ) {
        let isNumeric = tree.kind == .free
        func precedes(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
            guard isNumeric, left.count == 8, right.count == 8 else {
                return left.lexicographicallyPrecedes(right)
            }
            return Array(left).unsigned64(at: 0) < Array(right).unsigned64(at: 0)
        }
        // A branch's first key means nothing.
        let keys = page.nodes.dropFirst(page.isBranch ? 1 : 0).map { page.bytes[$0.key] }
        for (index, key) in keys.enumerated() {
            let isAscending = index == 0 || precedes(keys[index - 1], key)
            let isInside =
                (from.map { !precedes(key, $0[...]) } ?? true)
                && (below.map { precedes(key, $0[...]) } ?? true)
            guard isAscending, isInside, !key.isEmpty else {
                note(place(number, tree), "The keys are not in order.")
                return
            }
        }
    }
}
