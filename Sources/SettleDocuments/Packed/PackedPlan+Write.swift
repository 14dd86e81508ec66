import SettlePrimitives

extension PackedPlan {
    /// The packed bytes of everything that was noted.
    func write(source: Span<UInt8>) -> [UInt8] {
        let size = size
        var output: [UInt8] = []
        // As `Array(repeating:count:)`, which asks the runtime for its type each time.
        output.append(addingCapacity: size) { $0.append(repeating: 0, count: size) }
        var room = output.mutableSpan
        let end = PackedWriter.write(
            0, of: nodes.span, source, state.own.span, to: &room, at: 0)
        precondition(end.index == room.count, "A plan knows the size of what it writes.")
        return output
    }
}

/// Writes planned nodes into bytes that have exactly the room for them, in ascending order.
private enum PackedWriter {
    typealias Node = PackedPlan.Node

    /// Writes one node and what is inside it.
    ///
    /// Recursion is bounded by the depth limit that the plan was made under.
    /// - Returns: The node after it, and where the output goes on.
    static func write(
        _ place: Int, of nodes: Span<Node>, _ source: Span<UInt8>, _ own: Span<UInt8>,
        to output: inout MutableSpan<UInt8>, at start: Int
    ) -> (next: Int, index: Int) {
        let node = nodes[place]
        switch node.kind {
        case .array:
            let widthClass = PackedTag.widthClass(node.start)
            output[start] = PackedTag.array + widthClass
            var index = write(node.start, widthClass, to: &output, at: start &+ 1)
            var next = place &+ 1
            let after = Int(node.next)
            while next < after {
                let kind = nodes[next].kind
                if kind == .sourceString {
                    index = write(nodes[next], from: source, to: &output, at: index)
                    next &+= 1
                } else {
                    (next, index) = write(next, of: nodes, source, own, to: &output, at: index)
                }
            }
            return (next, index)
        case .object:
            return (Int(node.next), write(node, of: nodes, source, own, to: &output, at: start))
        default:
            return (place &+ 1, writeLeaf(node, source, own, to: &output, at: start))
        }
    }

    /// Writes the members of an object, and the end of each into the table when it is known.
    private static func write(
        _ object: Node, of nodes: Span<Node>, _ source: Span<UInt8>, _ own: Span<UInt8>,
        to output: inout MutableSpan<UInt8>, at start: Int
    ) -> Int {
        let widthClass = PackedTag.widthClass(object.start)
        let count = object.count
        output[start] = PackedTag.object + widthClass
        var entry = write(count, widthClass, to: &output, at: start &+ 1)
        let area = entry &+ count &* (1 << Int(widthClass))
        var index = area
        var member = Int(object.mark)
        for _ in 0..<count {
            let name = nodes[member &+ 1]
            index =
                name.kind == .sourceString
                ? write(name, from: source, to: &output, at: index)
                : write(name, from: own, to: &output, at: index)
            let value = nodes[member &+ 2]
            switch value.kind {
            case .sourceString: index = write(value, from: source, to: &output, at: index)
            case .array, .object:
                index = write(member &+ 2, of: nodes, source, own, to: &output, at: index).index
            default: index = writeLeaf(value, source, own, to: &output, at: index)
            }
            entry = write(index &- area, widthClass, to: &output, at: entry)
            member = Int(nodes[member].next)
        }
        return index
    }

    private static func writeLeaf(
        _ node: Node, _ source: Span<UInt8>, _ own: Span<UInt8>,
        to output: inout MutableSpan<UInt8>, at index: Int
    ) -> Int {
        switch node.kind {
        case .sourceString: return write(node, from: source, to: &output, at: index)
        case .ownString: return write(node, from: own, to: &output, at: index)
        case .integer: return write(Int64(bitPattern: node.bits), to: &output, at: index)
        case .double: return writeDouble(node.bits, to: &output, at: index)
        case .null: output[index] = PackedTag.null
        case .false: output[index] = PackedTag.false
        case .true: output[index] = PackedTag.true
        case .array, .object, .member: preconditionFailure("Only leaves are written as leaves.")
        }
        return index &+ 1
    }

    @inline(__always)
    private static func write(
        _ string: Node, from bytes: Span<UInt8>, to output: inout MutableSpan<UInt8>, at start: Int
    ) -> Int {
        let count = string.count
        var index = start &+ 1
        if count <= Int(PackedTag.shortStringMax) {
            output[start] = UInt8(truncatingIfNeeded: count)
        } else {
            let widthClass = PackedTag.widthClass(count)
            output[start] = PackedTag.string + widthClass
            index = write(count, widthClass, to: &output, at: index)
        }
        output.copy(bytes, from: string.start, count, to: index)
        return index &+ count
    }

    private static func write(
        _ value: Int64, to output: inout MutableSpan<UInt8>, at start: Int
    ) -> Int {
        if UInt64(bitPattern: value) <= UInt64(PackedTag.smallIntegerMax) {
            output[start] = PackedTag.smallInteger + UInt8(truncatingIfNeeded: value)
            return start &+ 1
        }
        let magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
        let count = PackedTag.byteCount(magnitude)
        output[start] = (value < 0 ? PackedTag.negative : PackedTag.positive) + UInt8(count - 1)
        for place in 0..<count {
            output[start &+ count &- place] = UInt8(
                truncatingIfNeeded: magnitude &>> UInt64(8 &* place))
        }
        return start &+ 1 &+ count
    }

    private static func writeDouble(
        _ bits: UInt64, to output: inout MutableSpan<UInt8>, at start: Int
    ) -> Int {
        let count = PackedTag.byteCount(of: Double(bitPattern: bits))
        output[start] = PackedTag.double + UInt8(count)
        for place in 0..<count {
            output[start &+ 1 &+ place] = UInt8(
                truncatingIfNeeded: bits &>> UInt64(56 &- 8 &* place))
        }
        return start &+ 1 &+ count
    }

    /// Writes a length or an offset in 1, 2 or 4 bytes.
    @inline(__always)
    private static func write(
        _ number: Int, _ widthClass: UInt8, to output: inout MutableSpan<UInt8>, at start: Int
    ) -> Int {
        if widthClass == 0 {
            output[start] = UInt8(truncatingIfNeeded: number)
            return start &+ 1
        }
        var index = start
        if widthClass == 2 {
            output[index] = UInt8(truncatingIfNeeded: number >> 24)
            output[index &+ 1] = UInt8(truncatingIfNeeded: number >> 16)
            index &+= 2
        }
        output[index] = UInt8(truncatingIfNeeded: number >> 8)
        output[index &+ 1] = UInt8(truncatingIfNeeded: number)
        return index &+ 2
    }
}
