extension PackedPlan {
    /// The packed bytes of everything that was noted.
    func write(source: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(size)
        _ = write(0, source, to: &output)
        return output
    }

    /// Writes one node and what is inside it; gives the index of the node after it.
    ///
    /// Recursion is bounded by the depth limit that the plan was made under.
    private func write(_ index: Int, _ source: Span<UInt8>, to output: inout [UInt8]) -> Int {
        let node = nodes[index]
        switch node.kind {
        case .null: output.append(PackedTag.null)
        case .false: output.append(PackedTag.false)
        case .true: output.append(PackedTag.true)
        case .integer: Self.write(Int64(bitPattern: node.bits), to: &output)
        case .double: Self.writeDouble(node.bits, to: &output)
        case .sourceString: writeString(node, from: source, to: &output)
        case .ownString: writeString(node, from: own.span, to: &output)
        case .array:
            let widthClass = PackedTag.widthClass(Int(node.area))
            output.append(PackedTag.array + widthClass)
            Self.write(Int(node.area), width: 1 << Int(widthClass), to: &output)
            var child = index + 1
            for _ in 0..<node.count { child = write(child, source, to: &output) }
            return child
        case .object:
            writeObject(node, source, to: &output)
            return Int(node.mark)
        }
        return index + 1
    }

    private func writeObject(_ node: Node, _ source: Span<UInt8>, to output: inout [UInt8]) {
        let widthClass = PackedTag.widthClass(Int(node.area))
        let width = 1 << Int(widthClass)
        output.append(PackedTag.object + widthClass)
        Self.write(node.count, width: width, to: &output)
        var end = 0
        for index in node.start..<(node.start + node.count) {
            let member = order[index]
            end += totalSize(Int(member)) + totalSize(Int(member) + 1)
            Self.write(end, width: width, to: &output)
        }
        for index in node.start..<(node.start + node.count) {
            let member = order[index]
            let value = write(Int(member), source, to: &output)
            _ = write(value, source, to: &output)
        }
    }

    private func totalSize(_ index: Int) -> Int {
        let node = nodes[index]
        switch node.kind {
        case .null, .false, .true: return 1
        case .integer:
            let value = Int64(bitPattern: node.bits)
            return (0...PackedTag.smallIntegerMax).contains(value)
                ? 1 : 1 + PackedTag.byteCount(UInt64(bitPattern: value < 0 ? ~value : value))
        case .double: return 1 + PackedTag.byteCount(of: Double(bitPattern: node.bits))
        case .sourceString, .ownString: return Self.stringSize(node.count)
        case .array: return Self.headerSize(area: Int(node.area), members: nil) + Int(node.area)
        case .object:
            return Self.headerSize(area: Int(node.area), members: node.count) + Int(node.area)
        }
    }

    private func writeString(_ node: Node, from bytes: Span<UInt8>, to output: inout [UInt8]) {
        if node.count <= Int(PackedTag.shortStringMax) {
            output.append(UInt8(node.count))
        } else {
            let widthClass = PackedTag.widthClass(node.count)
            output.append(PackedTag.string + widthClass)
            Self.write(node.count, width: 1 << Int(widthClass), to: &output)
        }
        output.append(bytes, in: node.start..<(node.start + node.count))
    }

    private static func write(_ value: Int64, to output: inout [UInt8]) {
        if (0...PackedTag.smallIntegerMax).contains(value) {
            output.append(PackedTag.smallInteger + UInt8(value))
            return
        }
        let magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
        let count = PackedTag.byteCount(magnitude)
        output.append((value < 0 ? PackedTag.negative : PackedTag.positive) + UInt8(count - 1))
        for index in (0..<count).reversed() {
            output.append(UInt8(truncatingIfNeeded: magnitude >> UInt64(8 * index)))
        }
    }

    private static func writeDouble(_ bits: UInt64, to output: inout [UInt8]) {
        let count = PackedTag.byteCount(of: Double(bitPattern: bits))
        output.append(PackedTag.double + UInt8(count))
        for index in 0..<count {
            output.append(UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * index)))
        }
    }

    private static func write(_ number: Int, width: Int, to output: inout [UInt8]) {
        for index in (0..<width).reversed() {
            output.append(UInt8(truncatingIfNeeded: number >> (8 * index)))
        }
    }
}
