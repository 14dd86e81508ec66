extension PackedPlanState {
    /// Sorts members by the bytes of their names, which stay where they are; gives the first.
    ///
    /// Few are sorted by insertion, more by halves that are merged. Recursion is as deep as the
    /// logarithm of the count.
    func sortMembers(
        from first: Int, _ count: Int, _ source: Span<UInt8>, _ nodes: inout MutableSpan<Node>
    ) -> Int {
        if count <= 16 { return insertMembers(from: first, count, source, &nodes) }
        let half = count / 2
        var second = first
        for _ in 0..<half { second = Int(nodes[second].next) }
        var left = sortMembers(from: first, half, source, &nodes)
        var right = sortMembers(from: second, count - half, source, &nodes)
        var leftCount = half
        var rightCount = count - half
        var start = 0
        var last: Int?
        while leftCount > 0 || rightCount > 0 {
            let taken: Int
            if rightCount == 0 || leftCount > 0 && compare(left, right, source, nodes) <= 0 {
                taken = left
                left = Int(nodes[left].next)
                leftCount -= 1
            } else {
                taken = right
                right = Int(nodes[right].next)
                rightCount -= 1
            }
            if let last {
                nodes[last].next = UInt32(truncatingIfNeeded: taken)
            } else {
                start = taken
            }
            last = taken
        }
        return start
    }

    private func insertMembers(
        from first: Int, _ count: Int, _ source: Span<UInt8>, _ nodes: inout MutableSpan<Node>
    ) -> Int {
        var start = first
        var last = first
        var moving = Int(nodes[first].next)
        for _ in 1..<count {
            let following = nodes[moving].next
            if compare(last, moving, source, nodes) <= 0 {
                nodes[last].next = UInt32(truncatingIfNeeded: moving)
                last = moving
            } else if compare(moving, start, source, nodes) < 0 {
                nodes[moving].next = UInt32(truncatingIfNeeded: start)
                start = moving
            } else {
                var before = start
                var after = Int(nodes[before].next)
                while compare(after, moving, source, nodes) <= 0 {
                    before = after
                    after = Int(nodes[after].next)
                }
                nodes[before].next = UInt32(truncatingIfNeeded: moving)
                nodes[moving].next = UInt32(truncatingIfNeeded: after)
            }
            moving = Int(following)
        }
        return start
    }

    /// Where the second of two equal names begins, if sorted members have such.
    func twin(
        from first: Int, _ count: Int, _ source: Span<UInt8>, _ nodes: borrowing MutableSpan<Node>
    ) -> Int? {
        var member = first
        for _ in 1..<count {
            let next = Int(nodes[member].next)
            if compare(member, next, source, nodes) == 0 {
                return Int(nodes[max(member, next)].mark)
            }
            member = next
        }
        return nil
    }

    /// Where a name begins that is canonically equivalent to another one, if any.
    func equivalentName(
        from first: Int, _ count: Int, _ source: Span<UInt8>, _ nodes: borrowing MutableSpan<Node>
    ) -> Int? {
        var seen: [String: Int] = [:]
        var member = first
        for _ in 0..<count {
            let node = nodes[member + 1]
            let name =
                node.kind == .ownString
                ? String(validating: own.span, in: node.range)
                : String(validating: source, in: node.range)
            if let name, let twin = seen.updateValue(member, forKey: name) {
                return Int(nodes[max(member, twin)].mark)
            }
            member = Int(nodes[member].next)
        }
        return nil
    }

    /// Takes one member out of the order; gives the first that is left.
    static func leaveOut(
        _ taken: Int, from first: Int, _ nodes: inout MutableSpan<Node>
    ) -> Int {
        if taken == first { return Int(nodes[first].next) }
        var before = first
        while Int(nodes[before].next) != taken { before = Int(nodes[before].next) }
        nodes[before].next = nodes[taken].next
        return first
    }

    @inline(__always)
    private func compare(
        _ left: Int, _ right: Int, _ source: Span<UInt8>, _ nodes: borrowing MutableSpan<Node>
    ) -> Int {
        let leftPrefix = nodes[left].bits
        let rightPrefix = nodes[right].bits
        if leftPrefix != rightPrefix { return leftPrefix < rightPrefix ? -1 : 1 }
        return compareWhole(nodes[left + 1], nodes[right + 1], source)
    }

    /// Also tells names with equal prefixes apart, such as "a" and "a" with U+0000 after it.
    @inline(never)
    private func compareWhole(_ left: Node, _ right: Node, _ source: Span<UInt8>) -> Int {
        for offset in 0..<min(left.count, right.count) {
            let leftByte =
                left.kind == .ownString ? own[left.start + offset] : source[left.start + offset]
            let rightByte =
                right.kind == .ownString ? own[right.start + offset] : source[right.start + offset]
            if leftByte != rightByte { return Int(leftByte) - Int(rightByte) }
        }
        return left.count - right.count
    }
}
