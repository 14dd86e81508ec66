extension DataFile {
    /// Makes sure that every page the trees of the file point to lies inside the file.
    ///
    /// Run only for a file shorter than its meta page says. Walks the tree of free pages, the
    /// tree of names and the tree of every table, without the engine.
    ///
    /// Shape of a tree page: flags at offset 10 (branch 1, leaf 2, overflow 4), lower bound at 12,
    /// from offset 16 the 2-byte offsets of its nodes. A node has size or page number low 2, high
    /// 2, flags 2 (overflow 1, table 2), key size 2, key, value.
    ///
    /// - Parameter meta: The meta page to start from.
    /// - Throws: ``LMDBError`` with `corrupted` when one does not.
    /// - Complexity: reads every tree page of the file.
    func requirePagesPresent(_ meta: Meta) throws(LMDBError) {
        var open: [UInt64] = [meta.freeTree.root, meta.mainTree.root].filter { $0 != Self.pageNone }
        var seen = Set<UInt64>()
        while let number = open.popLast() {
            guard seen.insert(number).inserted else { throw damaged("a page is used twice") }
            let page = try treePage(number, meta)
            try open.append(contentsOf: followers(of: page, meta))
        }
    }

    private func treePage(_ number: UInt64, _ meta: Meta) throws(LMDBError) -> [UInt8] {
        guard number <= meta.pageLast,
            let page = try bytes(
                at: number * UInt64(meta.pageSizeBytes), count: meta.pageSizeBytes)
        else { throw truncated }
        return page
    }

    /// The tree pages a page points to; overflow pages are checked on the way.
    private func followers(of page: [UInt8], _ meta: Meta) throws(LMDBError) -> [UInt64] {
        let flags = page.unsigned16(at: 10)
        let isBranch = flags & 1 != 0
        guard isBranch || flags & 2 != 0 else { throw damaged("a tree page is not one") }
        let lower = Int(page.unsigned16(at: 12))
        guard (16...page.count).contains(lower) else { throw damaged("a page's bounds are wrong") }
        var found: [UInt64] = []
        for index in 0..<(lower - 16) / 2 {
            let node = Int(page.unsigned16(at: 16 + 2 * index))
            guard node >= lower, node + 8 <= page.count else {
                throw damaged("a node lies outside its page")
            }
            let low = UInt64(page.unsigned16(at: node))
            let high = UInt64(page.unsigned16(at: node + 2))
            let nodeFlags = page.unsigned16(at: node + 4)
            let value = node + 8 + Int(page.unsigned16(at: node + 6))
            if isBranch {
                found.append(low | high << 16 | UInt64(nodeFlags) << 32)
            } else if nodeFlags & 1 != 0 {
                guard value + 8 <= page.count else { throw damaged("a node is cut off") }
                let pageCount = overflowPageCount(bytes: low | high << 16, meta)
                let first = page.unsigned64(at: value)
                guard
                    first <= meta.pageLast,
                    (first + pageCount) * UInt64(meta.pageSizeBytes) <= UInt64(sizeBytes)
                else { throw truncated }
            } else if nodeFlags & 2 != 0 {
                guard value + 48 <= page.count else { throw damaged("a table's record is cut off") }
                let root = page.unsigned64(at: value + 40)
                if root != Self.pageNone { found.append(root) }
            }
        }
        return found
    }

    private func overflowPageCount(bytes: UInt64, _ meta: Meta) -> UInt64 {
        (bytes + 15) / UInt64(meta.pageSizeBytes) + 1
    }

    private var truncated: LMDBError {
        damaged("it ends at \(sizeBytes) bytes, before pages that belong to it")
    }
}
