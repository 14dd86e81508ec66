extension PackedPlan {
    /// Sorts the open object's names by their bytes; gives one that occurs twice, if any.
    mutating func sortMembers(from first: Int, source: Span<UInt8>) -> Node? {
        let count = members.count - first
        guard count > 1 else { return nil }
        if count <= 24 {
            for next in (first + 1)..<members.count {
                let moving = members[next]
                var place = next
                while place > first, compare(members[place - 1], moving, source) > 0 {
                    members[place] = members[place - 1]
                    place -= 1
                }
                members[place] = moving
            }
        } else {
            sortManyMembers(from: first, source: source)
        }
        for index in (first + 1)..<members.count
        where compare(members[index - 1], members[index], source) == 0 {
            // The one that came second in the source is the one to complain about.
            return nodes[Int(max(members[index - 1].node, members[index].node))]
        }
        return nil
    }

    /// A merge sort from below, because the closure that the standard library's sort takes cannot
    /// capture a span.
    private mutating func sortManyMembers(from first: Int, source: Span<UInt8>) {
        var run = Array(members[first...])
        var merged = run
        var width = 1
        while width < run.count {
            var start = 0
            while start < run.count {
                let middle = min(start + width, run.count)
                let end = min(start + 2 * width, run.count)
                var left = start
                var right = middle
                for place in start..<end {
                    if left < middle, right == end || compare(run[left], run[right], source) <= 0 {
                        merged[place] = run[left]
                        left += 1
                    } else {
                        merged[place] = run[right]
                        right += 1
                    }
                }
                start = end
            }
            swap(&run, &merged)
            width *= 2
        }
        members.replaceSubrange(first..., with: run)
    }

    /// A name that is canonically equivalent to another one of the open object, if any.
    func equivalentName(from first: Int, source: Span<UInt8>) -> Node? {
        var seen: Set<String> = []
        for member in members[first...] {
            let node = nodes[Int(member.node)]
            let range = node.start..<(node.start + node.count)
            let name =
                node.kind == .ownString
                ? String(validating: own.span, in: range) : String(validating: source, in: range)
            if let name, !seen.insert(name).inserted { return node }
        }
        return nil
    }

    @inline(__always)
    private func compare(_ left: Member, _ right: Member, _ source: Span<UInt8>) -> Int {
        if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
        return compareWhole(left, right, source)
    }

    /// Also tells names with equal prefixes apart, such as "a" and "a" with U+0000 after it.
    private func compareWhole(_ left: Member, _ right: Member, _ source: Span<UInt8>) -> Int {
        let left = nodes[Int(left.node)]
        let right = nodes[Int(right.node)]
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
