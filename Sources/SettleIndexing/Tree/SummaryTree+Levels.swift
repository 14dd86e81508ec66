import SettlePrimitives
import SettleStorage

extension SummaryTree {
    /// Makes the levels above the leaves, once all entries have been appended.
    ///
    /// Levels that are there are removed first.
    ///
    /// - Throws: ``IndexError/corrupted(place:)``, what the table throws, what the reducer throws.
    /// - Complexity: O(number of leaves).
    package func finishAppending() throws {
        guard storesLevels else { return }
        try removeLevels(from: 1)
        // With no inner node there yet, the first boundary takes in the whole level.
        try updateLevels(touched: [TouchedNode(boundary: [], isRewritten: false)])
    }

    /// Brings the levels above the leaves up to date, given all leaves that were touched, ascending.
    func updateLevels(touched leaves: [TouchedNode]) throws {
        var touched = leaves
        var level = 0
        // Where nothing was touched, the levels above are right as they are.
        while !touched.isEmpty {
            guard try hasSeveralNodes(level) else { return try removeLevels(from: level + 1) }
            guard level < ChunkBoundaryRule.levelMax else { throw damage }
            level += 1
            touched = try updateInnerNodes(of: level, touched: touched)
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

    /// Makes those inner nodes of a level anew whose children were touched.
    ///
    /// `touched` are the children that were written or removed, ascending; the answer is the same for
    /// the inner nodes.
    private func updateInnerNodes(
        of level: Int, touched: [TouchedNode]
    ) throws -> [TouchedNode] {
        var innerNodes: [TouchedNode] = []
        var next = 0
        while next < touched.count {
            let child = touched[next].boundary
            let previous = try boundary(of: level, before: child)
            let innerNode = try innerNode(of: level, with: child)
            var after = next
            var hasSameChildren = innerNode != nil
            if let innerNode {
                while after < touched.count,
                    KeyBytes.compare(touched[after].boundary, innerNode.boundary) <= 0
                {
                    hasSameChildren = hasSameChildren && touched[after].isRewritten
                    after += 1
                }
            }
            if let innerNode, hasSameChildren {
                if try rewrite(innerNode, of: level, after: previous) {
                    innerNodes.append(TouchedNode(boundary: innerNode.boundary, isRewritten: true))
                }
                next = after
                continue
            }
            let made = try makeInnerNodes(of: level, after: previous, through: innerNode?.boundary)
            guard let last = made.last else { throw damage }
            let stale = try boundaries(of: level, after: previous, through: last.boundary)
            innerNodes.append(contentsOf: try replace(stale, by: made, on: level))
            while next < touched.count,
                KeyBytes.compare(touched[next].boundary, last.boundary) <= 0
            {
                next += 1
            }
        }
        return innerNodes
    }

    /// The boundary of the last inner node below one, or nil when there is none.
    private func boundary(of level: Int, before boundary: [UInt8]) throws -> [UInt8]? {
        var found: [UInt8]?
        try table.forEachInPlace(
            from: start(of: level), to: .excluding(rowKey(level, boundary)), isDescending: true
        ) { rowKey, _ in
            found = rowKey.rest(from: 1)
            return false
        }
        return found
    }

    /// The inner node that has, or had, the child with that boundary; nil when there is none.
    private func innerNode(of level: Int, with child: [UInt8]) throws -> InnerNode? {
        var found: InnerNode?
        try table.forEachInPlace(
            from: .including(rowKey(level, child)), to: end(of: level)
        ) { rowKey, bytes in
            found = (rowKey.rest(from: 1), bytes.rest(from: 0))
            return false
        }
        return found
    }

    /// The boundaries of the inner nodes after one up to another.
    private func boundaries(
        of level: Int, after boundary: [UInt8]?, through last: [UInt8]
    ) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        try table.forEachInPlace(
            from: edge(level, after: boundary), to: .including(rowKey(level, last))
        ) { rowKey, _ in
            found.append(rowKey.rest(from: 1))
            return true
        }
        return found
    }

    /// Reduces an inner node anew whose children are the same as before; where they end is known then.
    ///
    /// - Returns: Whether it has changed.
    private func rewrite(
        _ innerNode: InnerNode, of level: Int, after boundary: [UInt8]?
    ) throws -> Bool {
        var builder = InnerNodeBuilder(reducer: reducer)
        try table.forEachInPlace(
            from: edge(level - 1, after: boundary),
            to: .including(rowKey(level - 1, innerNode.boundary))
        ) { _, bytes in
            guard let header = NodeHeader(bytes) else { throw damage }
            try builder.add(header, of: bytes, place: place)
            return true
        }
        guard !builder.isEmpty else { throw damage }
        let bytes = try builder.take()
        guard bytes != innerNode.bytes else { return false }
        try table.set(bytes, for: rowKey(level, innerNode.boundary))
        return true
    }

    private typealias InnerNode = (boundary: [UInt8], bytes: [UInt8])

    /// Makes the inner nodes after a boundary, up to one that ends where another ended.
    ///
    /// That is the one with the boundary `end`, or the next that still has its last child; nil to go to
    /// the end of the level. Were a new inner node to end within one that is there, the rest of that one
    /// would have to be made anew as well, whether or not a child in it was touched.
    private func makeInnerNodes(
        of level: Int, after boundary: [UInt8]?, through end: [UInt8]?
    ) throws -> [InnerNode] {
        var end = end
        var innerNodes: [InnerNode] = []
        var builder = InnerNodeBuilder(reducer: reducer)
        try table.forEachInPlace(
            from: edge(level - 1, after: boundary), to: self.end(of: level - 1)
        ) { rowKey, bytes in
            guard let header = NodeHeader(bytes) else { throw damage }
            try builder.add(header, of: bytes, place: place)
            let boundary = rowKey.extracting(1..<rowKey.count)
            guard endsInnerNode(boundary, level) else { return true }
            let made = boundary.rest(from: 0)
            innerNodes.append((made, try builder.take()))
            if let reached = end, KeyBytes.compare(reached, made) < 0 {
                end = try innerNode(of: level, with: made)?.boundary
            }
            return end != made
        }
        return innerNodes
    }

    /// Whether the child with that boundary ends its inner node of that level.
    func endsInnerNode(_ boundary: Span<UInt8>, _ level: Int) -> Bool {
        if boundary.count == 1, boundary[0] == ChunkBoundaryRule.sentinel { return true }
        return rule.endsInnerNode(hash: ChunkBoundaryRule.hash(boundary), level: level)
    }

    /// Writes inner nodes in place of others, both ascending.
    ///
    /// - Returns: All of them, ascending, each once.
    private func replace(
        _ stale: [[UInt8]], by made: [InnerNode], on level: Int
    ) throws -> [TouchedNode] {
        var touched: [TouchedNode] = []
        var index = 0
        for boundary in stale {
            while index < made.count, KeyBytes.compare(made[index].boundary, boundary) < 0 {
                touched.append(TouchedNode(boundary: made[index].boundary, isRewritten: false))
                index += 1
            }
            let isMade = index < made.count && made[index].boundary == boundary
            touched.append(TouchedNode(boundary: boundary, isRewritten: isMade))
            if isMade { index += 1 } else { try table.remove(rowKey(level, boundary)) }
        }
        for innerNode in made[index...] {
            touched.append(TouchedNode(boundary: innerNode.boundary, isRewritten: false))
        }
        for innerNode in made {
            try table.set(innerNode.bytes, for: rowKey(level, innerNode.boundary))
        }
        return touched
    }
}

/// Makes the summaries of inner nodes from the nodes of the level below.
struct InnerNodeBuilder {
    private var reduction: Reduction?
    private var entryCount = 0

    /// Whether no child was added since the last summary.
    private(set) var isEmpty = true

    init(reducer: IndexReducer?) {
        reduction = reducer.map { Reduction($0) }
    }

    /// Adds a child to the inner node so far.
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

    /// The summary of the inner node so far; the next child begins another one.
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
