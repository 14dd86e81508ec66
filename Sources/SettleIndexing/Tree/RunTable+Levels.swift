import SettleStorage

extension RunTable {
    /// Makes the levels above the runs, once all entries have been appended.
    ///
    /// Levels that are there are removed first.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, what the table throws, what the reducer throws.
    /// - Complexity: O(number of runs).
    package func finishAppending() throws {
        guard storesLevels else { return }
        try removeLevels(from: 1)
        // With no group there yet, the first border takes in the whole level.
        try updateLevels(touched: [TouchedNode(border: [], isRewritten: false)])
    }

    /// Brings the levels above the runs up to date, given all runs that were touched, ascending.
    func updateLevels(touched runs: [TouchedNode]) throws {
        var touched = runs
        var level = 0
        // Where nothing was touched, the levels above are right as they are.
        while !touched.isEmpty {
            guard try hasSeveralNodes(level) else { return try removeLevels(from: level + 1) }
            guard level < BorderRule.levelMax else { throw damage }
            level += 1
            touched = try updateGroups(of: level, touched: touched)
        }
    }

    /// Whether a level has more than one node.
    private func hasSeveralNodes(_ level: Int) throws -> Bool {
        var count = 0
        try table.forEachInPlace(from: start(of: level), to: end(of: level)) { _, _ in
            count += 1
            return count < 2
        }
        return count > 1
    }

    private func removeLevels(from level: Int) throws {
        var keys: [[UInt8]] = []
        try table.forEachInPlace(from: start(of: level)) { rowKey, _ in
            keys.append(rowKey.rest(from: 0))
            return true
        }
        for key in keys { try table.remove(key) }
    }

    /// Makes those groups of a level anew whose children were touched.
    ///
    /// `touched` are the children that were written or removed, ascending; the answer is the same for
    /// the groups.
    private func updateGroups(
        of level: Int, touched: [TouchedNode]
    ) throws -> [TouchedNode] {
        var groups: [TouchedNode] = []
        var next = 0
        while next < touched.count {
            let child = touched[next].border
            let previous = try border(of: level, before: child)
            let group = try group(of: level, with: child)
            var after = next
            var hasSameChildren = group != nil
            if let group {
                while after < touched.count,
                    KeyBytes.compare(touched[after].border, group.border) <= 0
                {
                    hasSameChildren = hasSameChildren && touched[after].isRewritten
                    after += 1
                }
            }
            if let group, hasSameChildren {
                if try rewrite(group, of: level, after: previous) {
                    groups.append(TouchedNode(border: group.border, isRewritten: true))
                }
                next = after
                continue
            }
            let made = try makeGroups(of: level, after: previous, through: group?.border)
            guard let last = made.last else { throw damage }
            let stale = try borders(of: level, after: previous, through: last.border)
            groups.append(contentsOf: try replace(stale, by: made, on: level))
            while next < touched.count,
                KeyBytes.compare(touched[next].border, last.border) <= 0
            {
                next += 1
            }
        }
        return groups
    }

    /// The border of the last group below one, or nil when there is none.
    private func border(of level: Int, before border: [UInt8]) throws -> [UInt8]? {
        var found: [UInt8]?
        try table.forEachInPlace(
            from: start(of: level), to: .excluding(rowKey(level, border)), isDescending: true
        ) { rowKey, _ in
            found = rowKey.rest(from: 1)
            return false
        }
        return found
    }

    /// The group that has, or had, the child with that border; nil when there is none.
    private func group(of level: Int, with child: [UInt8]) throws -> Group? {
        var found: Group?
        try table.forEachInPlace(
            from: .including(rowKey(level, child)), to: end(of: level)
        ) { rowKey, bytes in
            found = (rowKey.rest(from: 1), bytes.rest(from: 0))
            return false
        }
        return found
    }

    /// The borders of the groups after one up to another.
    private func borders(
        of level: Int, after border: [UInt8]?, through last: [UInt8]
    ) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        try table.forEachInPlace(
            from: edge(level, after: border), to: .including(rowKey(level, last))
        ) { rowKey, _ in
            found.append(rowKey.rest(from: 1))
            return true
        }
        return found
    }

    /// Reduces a group anew whose children are the same as before; where they end is known then.
    ///
    /// - Returns: Whether it has changed.
    private func rewrite(
        _ group: Group, of level: Int, after border: [UInt8]?
    ) throws -> Bool {
        var builder = GroupBuilder(reducer: reducer)
        try table.forEachInPlace(
            from: edge(level - 1, after: border),
            to: .including(rowKey(level - 1, group.border))
        ) { _, bytes in
            guard let header = NodeHeader(bytes) else { throw damage }
            try builder.add(header, of: bytes, place: place)
            return true
        }
        guard !builder.isEmpty else { throw damage }
        let bytes = try builder.take()
        guard bytes != group.bytes else { return false }
        try table.set(bytes, for: rowKey(level, group.border))
        return true
    }

    private typealias Group = (border: [UInt8], bytes: [UInt8])

    /// Makes the groups after a border, up to one that ends where another ended.
    ///
    /// That is the one with the border `end`, or the next that still has its last child; nil to go to
    /// the end of the level. Were a new group to end within one that is there, the rest of that one
    /// would have to be made anew as well, whether or not a child in it was touched.
    private func makeGroups(
        of level: Int, after border: [UInt8]?, through end: [UInt8]?
    ) throws -> [Group] {
        var end = end
        var groups: [Group] = []
        var builder = GroupBuilder(reducer: reducer)
        try table.forEachInPlace(
            from: edge(level - 1, after: border), to: self.end(of: level - 1)
        ) { rowKey, bytes in
            guard let header = NodeHeader(bytes) else { throw damage }
            try builder.add(header, of: bytes, place: place)
            let border = rowKey.extracting(1..<rowKey.count)
            guard endsGroup(border, level) else { return true }
            let made = border.rest(from: 0)
            groups.append((made, try builder.take()))
            if let reached = end, KeyBytes.compare(reached, made) < 0 {
                end = try group(of: level, with: made)?.border
            }
            return end != made
        }
        return groups
    }

    /// Whether the child with that border ends its group of that level.
    func endsGroup(_ border: Span<UInt8>, _ level: Int) -> Bool {
        if border.count == 1, border[0] == BorderRule.sentinel { return true }
        return rule.endsGroup(hash: BorderRule.hash(border), level: level)
    }

    /// Writes groups in place of others, both ascending.
    ///
    /// - Returns: All of them, ascending, each once.
    private func replace(
        _ stale: [[UInt8]], by made: [Group], on level: Int
    ) throws -> [TouchedNode] {
        var touched: [TouchedNode] = []
        var index = 0
        for border in stale {
            while index < made.count, KeyBytes.compare(made[index].border, border) < 0 {
                touched.append(TouchedNode(border: made[index].border, isRewritten: false))
                index += 1
            }
            let isMade = index < made.count && made[index].border == border
            touched.append(TouchedNode(border: border, isRewritten: isMade))
            if isMade { index += 1 } else { try table.remove(rowKey(level, border)) }
        }
        for group in made[index...] {
            touched.append(TouchedNode(border: group.border, isRewritten: false))
        }
        for group in made { try table.set(group.bytes, for: rowKey(level, group.border)) }
        return touched
    }
}

/// Makes the summaries of groups from the nodes of the level below.
struct GroupBuilder {
    private var reduction: Reduction?
    private var entryCount = 0

    /// Whether no child was added since the last summary.
    private(set) var isEmpty = true

    init(reducer: IndexReducer?) {
        reduction = reducer.map { Reduction($0) }
    }

    /// Adds a child to the group so far.
    ///
    /// - Throws: ``IndexError/corrupted(place:)`` when it has no reduction and ought to.
    mutating func add(
        _ header: NodeHeader, of bytes: Span<UInt8>, place: String
    ) throws(IndexError) {
        isEmpty = false
        entryCount &+= header.entryCount
        if reduction == nil { return }
        guard let partial = header.reduction else { throw .corrupted(place: place) }
        try reduction?.merge(bytes.extracting(partial))
    }

    /// The summary of the group so far; the next child begins another one.
    mutating func take() throws(IndexError) -> [UInt8] {
        var bytes = ByteBuffer(capacity: 64)
        // Damaged counts may add up to anything; a summary says no more than it can.
        let count = min(max(entryCount, 0), NodeHeader.entryCountMax)
        NodeHeader.write(entryCount: count, reduction: try reduction?.encoded(), to: &bytes)
        entryCount = 0
        isEmpty = true
        reduction?.reset()
        return bytes.bytes
    }
}
